/* order_device.c - see order.h: checks and devices begin and end. */
#include "check/host/order_state.h"

#include <stdio.h>

#include "check/host/hazard_state.h"

void order_open_check(struct check *check)
{
    hazard_open(check, &order.timeline);
    atomic_store(&order.needed, true);
}

/* Of several devices the one that was opened first stands for what the host shares with all. */
void order_device_opened(struct simt *simt, struct memory *memory, struct err *e)
{
    const bool first = order.memory == NULL;
    order.memory = first ? memory : order.memory;
    if (!hazard_is_open()) {
        return;
    }
    order.bytes = first ? launch_bytes_open() : order.bytes;
    if (order.bytes == NULL) {
        err_set(e, "out of memory for SIMT_CHECK");
        return;
    }
    if (first) {
        hazard_attach(memory);
    }
    simt_observe(simt, launch_bytes_observer(order.bytes), e);
}

void order_ends(void)
{
    if (order_has_hazards() && !order_own.in_order) {
        order_enter();
        hazard_lift();
        hazard_settle("the end of the program", true);
        order_leave();
    }
}

void order_device_closes(bool last)
{
    order_enter();
    timeline_host_waits_all(&order.timeline);
    order_wait_for(NULL);
    if (order_has_hazards()) {
        order_settle("cudaDeviceReset");
    }
    if (last) {
        hazard_attach(NULL);
        launch_bytes_close(order.bytes);
        order.bytes = NULL;
        order.memory = NULL;
        order.variable_count = 0;
    }
    order_leave();
}

bool order_host_knows_event(const struct timeline_clock *event)
{
    bool knows = true;
    order_enter();
    for (unsigned i = 0; i < TIMELINE_STREAMS && order_has_hazards(); i++) {
        knows &= timeline_host_knows(&order.timeline, i, event->done[i]);
    }
    order_leave();
    return knows;
}

void order_tells_call(const char *call, const char *what, const char *cure)
{
    char text[1024];
    if (!order_has_hazards()) {
        return;
    }
    snprintf(text, sizeof text, "simt: call: %s at %s %s. Cure: %s", call,
             describe_line(describe_here()), what, cure);
    order_enter();
    hazard_tell(text, text);
    order_leave();
}

void order_tells_loss(const char *line)
{
    char text[600];
    if (!order_has_hazards()) {
        return;
    }
    snprintf(text, sizeof text,
             "simt: printf%s: the launch prints more than the buffer of a GPU holds until the host "
             "waits: lines are lost there. Cure: fewer lines, or cudaDeviceSetLimit("
             "cudaLimitPrintfFifoSize, ...) before the launch",
             line);
    order_enter();
    hazard_tell(text, text);
    order_leave();
}
