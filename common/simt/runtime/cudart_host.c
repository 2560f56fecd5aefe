/* cudart_host.c - wrong accesses of the host: its code touches device memory, or a copy runs out of
 * the host's array. On a card both end the program with SIGSEGV and without a word.
 *
 * A copy that meets no memory is given up and becomes an error of its call. Other code has no call
 * to give an error to: the mistake is named, and the signal ends the program as it would without
 * us. A program (or sanitizer) that handles SIGSEGV itself keeps its handler. */
#include "runtime/cudart.h"

#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/describe.h"

enum { SECONDS_TO_EXPLAIN = 10 };

/* The access that host_try() is making for this thread. */
static _Thread_local struct {
    volatile sig_atomic_t running;
    sigjmp_buf back;
    uint64_t wrong;
} attempt;

static bool (*guard)(void *address, void *context);

void host_set_guard(bool (*met)(void *address, void *context)) { guard = met; }

const void *host_instruction_of(const void *handlers_context)
{
    const ucontext_t *context = handlers_context;
#if defined __x86_64__
    return (const void *)(uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined __aarch64__
    return (const void *)(uintptr_t)context->uc_mcontext.pc;
#else
    return NULL;
#endif
}

/* The program is lost already, so this may do what handlers had better not. It may wait for a lock
 * that the interrupted code holds (free() of a device pointer): then the alarm ends it. */
static void explain_touch(const void *pointer, const void *instruction)
{
    char what[1200];
    signal(SIGALRM, SIG_DFL);
    alarm(SECONDS_TO_EXPLAIN);
    const char *line = describe_interrupted(instruction);
    cudart_explain_pointer(pointer, what, sizeof what);
    const struct allocation *freed =
        memory_find_freed(runtime()->memory, (uint64_t)(uintptr_t)pointer);
    if (freed != NULL && (freed->kind == MEMORY_MANAGED || freed->kind == MEMORY_PINNED)) {
        fprintf(stderr, "simt: %s%shost code reads or writes memory that was freed: %s\n", line,
                line[0] != '\0' ? ": " : "", what);
        alarm(0);
        return;
    }
    fprintf(stderr,
            "simt: %s%shost code reads or writes device memory, which only kernels can: %s; "
            "cudaMemcpy brings it to the host\n",
            line, line[0] != '\0' ? ": " : "", what);
    alarm(0);
}

/* What a kernel, or a copy, meets where registered memory is not what it was; "": another address.
 * Memory that was unmapped is no longer registered. */
static const char *registered_trouble(int signal_number, const siginfo_t *info)
{
    const uint64_t address = (uint64_t)(uintptr_t)info->si_addr;
    const struct allocation *a = memory_find(runtime()->memory, address);
    a = a != NULL ? a : memory_find_freed(runtime()->memory, address);
    if (a == NULL || !a->registered) {
        return "";
    }
    return signal_number == SIGBUS ? "has lost its file while a kernel uses it: the file is now "
                                     "shorter than its mapping. Cure: cudaDeviceSynchronize() first"
           : info->si_code == SEGV_ACCERR
               ? "may only be read, and a kernel stores there. Cure: map it with PROT_WRITE, or "
                 "register it with cudaHostRegisterReadOnly and store elsewhere"
               : "has been unmapped while a kernel uses it. Cure: cudaDeviceSynchronize(), then "
                 "cudaHostUnregister(), then munmap() or free()";
}

static void explain_registered(int signal_number, const siginfo_t *info)
{
    signal(SIGALRM, SIG_DFL); /* as explain_touch(): a lock may be held */
    alarm(SECONDS_TO_EXPLAIN);
    const char *trouble = registered_trouble(signal_number, info);
    if (trouble[0] != '\0') {
        fprintf(stderr, "simt: memory at %p of cudaHostRegister() %s\n", info->si_addr, trouble);
    }
    alarm(0);
}

static void on_wrong_access(int signal_number, siginfo_t *info, void *context)
{
    if (attempt.running) {
        attempt.wrong = (uint64_t)(uintptr_t)info->si_addr;
        siglongjmp(attempt.back, 1);
    }
    if (guard != NULL && guard(info->si_addr, context)) {
        return; /* once more */
    }
    if (runtime_is_open()) {
        explain_registered(signal_number, info);
    }
    signal(signal_number, SIG_DFL); /* the instruction runs once more and meets the default */
    if (runtime_is_open() &&
        memory_is_mine(runtime()->memory, (uint64_t)(uintptr_t)info->si_addr)) {
        explain_touch(info->si_addr, host_instruction_of(context));
    }
}

static void watch_signal(int number)
{
    struct sigaction now,
        ours = {.sa_sigaction = on_wrong_access, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK};
    if (sigaction(number, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 &&
        now.sa_handler == SIG_DFL) {
        sigaction(number, &ours, NULL);
    }
}

void host_watch(void)
{
    watch_signal(SIGSEGV);
    watch_signal(SIGBUS);
}

bool host_is_watched(void)
{
    struct sigaction now;
    return sigaction(SIGSEGV, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 &&
           now.sa_sigaction == on_wrong_access;
}

bool host_is_writable(const void *pointer)
{
    const unsigned long long address = (uintptr_t)pointer;
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512];
    bool writable = false, found = false;
    while (!found && maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        unsigned long long begin, end;
        char rights[5] = "";
        if (sscanf(line, "%llx-%llx %4s", &begin, &end, rights) == 3) {
            found = begin <= address && address < end;
            writable = found && rights[1] == 'w' && strstr(line, "[stack]") == NULL;
        }
    }
    if (maps != NULL) {
        fclose(maps);
    }
    return writable;
}

bool host_try(void (*access)(void *), void *state, uint64_t *wrong)
{
    bool good = sigsetjmp(attempt.back, 0) == 0;
    if (good) {
        attempt.running = 1;
        access(state);
    }
    attempt.running = 0;
    *wrong = attempt.wrong;
    return good;
}
