/* host_order_device.c - see host_order.h: checks and devices begin and end. */
#include "check/host/host_order_state.h"

#include <stdio.h>

#include "check/host/hazard_state.h"

void host_order_open_check(struct check *check)
{
    hazard_open(check, &host_order.timeline);
    atomic_store(&host_order.needed, true);
}

/* Of several devices the one that was opened first stands for what the host shares with all. */
void host_order_device_opened(struct simt *simt, struct memory *memory, struct err *e)
{
    const bool first = host_order.memory == NULL;
    host_order.memory = first ? memory : host_order.memory;
    if (!hazard_is_open()) {
        return;
    }
    host_order.bytes = first ? launch_bytes_open() : host_order.bytes;
    if (host_order.bytes == NULL) {
        err_set(e, "out of memory for SIMT_CHECK");
        return;
    }
    if (first) {
        hazard_attach(memory);
    }
    simt_observe(simt, launch_bytes_observer(host_order.bytes), e);
}

void host_order_ends(void)
{
    if (host_order_has_hazards() && !host_order_own.in_order) {
        host_order_enter();
        hazard_lift();
        hazard_settle("the end of the program", true);
        host_order_leave();
    }
}

void host_order_device_closes(bool last)
{
    host_order_enter();
    timeline_host_waits_all(&host_order.timeline);
    host_order_wait_for(NULL);
    if (host_order_has_hazards()) {
        host_order_settle("cudaDeviceReset");
    }
    if (last) {
        hazard_attach(NULL);
        launch_bytes_close(host_order.bytes);
        host_order.bytes = NULL;
        host_order.memory = NULL;
        host_order.variable_count = 0;
    }
    host_order_leave();
}

bool host_order_host_knows_event(const struct timeline_clock *event)
{
    bool knows = true;
    host_order_enter();
    for (unsigned i = 0; i < TIMELINE_STREAMS && host_order_has_hazards(); i++) {
        knows &= timeline_host_knows(&host_order.timeline, i, event->done[i]);
    }
    host_order_leave();
    return knows;
}

void host_order_tells_call(const char *call, const char *what, const char *cure)
{
    char text[1024];
    if (!host_order_has_hazards()) {
        return;
    }
    snprintf(text, sizeof text, "simt: call: %s at %s %s. Cure: %s", call,
             describe_line(describe_here()), what, cure);
    host_order_enter();
    hazard_tell(text, text);
    host_order_leave();
}

void host_order_tells_loss(const char *line)
{
    char text[600];
    if (!host_order_has_hazards()) {
        return;
    }
    snprintf(text, sizeof text,
             "simt: printf%s: the launch prints more than the buffer of a GPU holds until the host "
             "waits: lines are lost there. Cure: fewer lines, or cudaDeviceSetLimit("
             "cudaLimitPrintfFifoSize, ...) before the launch",
             line);
    host_order_enter();
    hazard_tell(text, text);
    host_order_leave();
}
