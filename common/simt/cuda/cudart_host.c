/* cudart_host.c - wrong accesses of the host: its code touches device memory, or a copy runs out of
 * the host's array. On a card both end the program with SIGSEGV and without a word.
 *
 * A copy that meets no memory is given up and becomes an error of its call. Other code has no call
 * to give an error to: the mistake is named, and the signal ends the program as ever. A program
 * (or sanitizer) that handles SIGSEGV itself keeps its handler. */
#include "cuda/cudart.h"

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

static const void *instruction_of(const ucontext_t *context)
{
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
    explain_pointer(pointer, what, sizeof what);
    fprintf(stderr,
            "simt: %s%shost code reads or writes device memory, which only kernels can: %s; "
            "cudaMemcpy brings it to the host\n",
            line, line[0] != '\0' ? ": " : "", what);
    alarm(0);
}

static void on_wrong_access(int signal_number, siginfo_t *info, void *context)
{
    if (attempt.running) {
        attempt.wrong = (uint64_t)(uintptr_t)info->si_addr;
        siglongjmp(attempt.back, 1);
    }
    signal(signal_number, SIG_DFL); /* the instruction runs once more and meets the default */
    if (runtime_is_open() &&
        memory_is_mine(runtime()->memory, (uint64_t)(uintptr_t)info->si_addr)) {
        explain_touch(info->si_addr, instruction_of(context));
    }
}

void host_watch(void)
{
    struct sigaction now,
        ours = {.sa_sigaction = on_wrong_access, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK};
    if (sigaction(SIGSEGV, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 &&
        now.sa_handler == SIG_DFL) {
        sigaction(SIGSEGV, &ours, NULL);
    }
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
