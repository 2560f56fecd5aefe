/* filter.c - the system calls that a program of the learner's may make: a list of what is allowed.
 * All else fails with EPERM, so that a program which asks for more is told so and goes on. */
#include "common/judge/box/box.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define THIS_MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_MACHINE AUDIT_ARCH_AARCH64
#endif

static const int allowed[] = {
    /* open files; what may be opened is the view's business */
    SYS_read,
    SYS_write,
    SYS_readv,
    SYS_writev,
    SYS_pread64,
    SYS_pwrite64,
    SYS_close,
    SYS_lseek,
    SYS_fstat,
    SYS_newfstatat,
    SYS_statx,
    SYS_openat,
    SYS_readlinkat,
    SYS_faccessat,
    SYS_getcwd,
    SYS_getdents64,
    SYS_dup,
    SYS_dup3,
    SYS_fcntl,
    SYS_pipe2,
    SYS_ppoll,
    SYS_pselect6,
    SYS_eventfd2,
    SYS_unlinkat,
    SYS_ftruncate,
    SYS_fsync,
    /* memory */
    SYS_mmap,
    SYS_munmap,
    SYS_mprotect,
    SYS_mremap,
    SYS_madvise,
    SYS_brk,
    SYS_mincore,
    /* signals to itself, threads and waiting */
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_rt_sigpending,
    SYS_rt_sigsuspend,
    SYS_rt_sigtimedwait,
    SYS_sigaltstack,
    SYS_kill,
    SYS_tgkill,
    SYS_tkill,
    SYS_futex,
    SYS_set_robust_list,
    SYS_set_tid_address,
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_nanosleep,
    SYS_clock_nanosleep,
    SYS_setitimer,
    SYS_exit,
    SYS_exit_group,
    SYS_restart_syscall,
    /* asking */
    SYS_uname,
    SYS_getpid,
    SYS_getppid,
    SYS_gettid,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_gettimeofday,
    SYS_times,
    SYS_getrusage,
    SYS_getrandom,
    SYS_prlimit64,
    SYS_sysinfo,
#ifdef SYS_rseq
    SYS_rseq,
#endif
#ifdef SYS_faccessat2
    SYS_faccessat2,
#endif
#if defined(__x86_64__) /* older names of the same */
    SYS_open,
    SYS_stat,
    SYS_lstat,
    SYS_access,
    SYS_readlink,
    SYS_dup2,
    SYS_pipe,
    SYS_poll,
    SYS_select,
    SYS_arch_prctl,
    SYS_time,
    SYS_alarm,
    SYS_pause,
    SYS_getrlimit,
    SYS_unlink,
#endif
};

enum { MOST_RULES = 2 * sizeof allowed / sizeof *allowed + 40 };

struct rules {
    struct sock_filter list[MOST_RULES];
    unsigned short count;
};

static void rule(struct rules *r, struct sock_filter f) { r->list[r->count++] = f; }

static void load(struct rules *r, size_t offset)
{
    rule(r, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

static void answer(struct rules *r, uint32_t what)
{
    rule(r, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, what));
}

/* Is what was loaded another value, the next `count` rules are left out. */
static void unless_equal(struct rules *r, uint32_t value, unsigned char count)
{
    rule(r, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count));
}

#define NUMBER        offsetof(struct seccomp_data, nr)
#define ARGUMENT(n)   (offsetof(struct seccomp_data, args) + 8 * (n))
#define REFUSED(code) (SECCOMP_RET_ERRNO | (code))

/* A thread, but no process: glibc asks for clone3 first, whose flags a filter cannot read. */
static void rules_of_clone(struct rules *r)
{
    load(r, NUMBER);
#ifdef SYS_clone3
    unless_equal(r, SYS_clone3, 1);
    answer(r, REFUSED(ENOSYS));
#endif
    unless_equal(r, SYS_clone, 4);
    load(r, ARGUMENT(0));
    rule(r, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1));
    answer(r, SECCOMP_RET_ALLOW);
    answer(r, REFUSED(EPERM));
}

/* One program may begin: the one whose name lies at an address that only its starter knows. */
static void rules_of_execve(struct rules *r, const char *program)
{
    const uint64_t address = (uint64_t)(uintptr_t)program;
    load(r, NUMBER);
    unless_equal(r, SYS_execve, 6);
    load(r, ARGUMENT(0));
    unless_equal(r, (uint32_t)address, 3);
    load(r, ARGUMENT(0) + 4);
    unless_equal(r, (uint32_t)(address >> 32), 1);
    answer(r, SECCOMP_RET_ALLOW);
    answer(r, REFUSED(EPERM));
}

const char *box_filter(const char *program)
{
#ifdef THIS_MACHINE
    static struct rules r;
    r.count = 0;
    load(&r, offsetof(struct seccomp_data, arch));
    rule(&r, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_MACHINE, 1, 0));
    answer(&r, SECCOMP_RET_KILL_PROCESS);
    rules_of_clone(&r);
    rules_of_execve(&r, program);
    load(&r, NUMBER);
    for (unsigned i = 0; i < sizeof allowed / sizeof *allowed; i++) {
        unless_equal(&r, (uint32_t)allowed[i], 1);
        answer(&r, SECCOMP_RET_ALLOW);
    }
    answer(&r, REFUSED(EPERM));
    const struct sock_fprog fprog = {r.count, r.list};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &fprog, 0, 0) == 0) {
        return NULL;
    }
#endif
    (void)program;
    return "a filter for system calls (seccomp)";
}
