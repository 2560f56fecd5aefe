/* memory_host.c - what the computer can give: free memory, address space, and which of its pages
 * there are. Called by memory.c and by copies. */
#include "machine/memory_state.h"

#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#define LARGEST_SIZE ((uint64_t)1 << 40) /* of each half */

/* A number from a one-line file such as a container's memory limit; UINT64_MAX: none there. */
static uint64_t number_in_file(const char *path)
{
    FILE *file = fopen(path, "r");
    unsigned long long value = 0;
    bool found = file != NULL && fscanf(file, "%llu", &value) == 1;
    if (file != NULL) {
        fclose(file);
    }
    return found ? value : UINT64_MAX;
}

static uint64_t available_bytes(void)
{
    unsigned long long available_kib = 0;
    char line[128];
    FILE *file = fopen("/proc/meminfo", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "MemAvailable: %llu kB", &available_kib) == 1) {
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    struct sysinfo info = {0};
    sysinfo(&info);
    uint64_t swap = (uint64_t)info.freeswap * info.mem_unit;
    uint64_t free_ram = (uint64_t)info.freeram * info.mem_unit;
    return swap + (available_kib > 0 ? (uint64_t)available_kib << 10 : free_ram);
}

uint64_t memory_host_capacity(void)
{
    static const char *const container[][2] = {
        {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
        {"/sys/fs/cgroup/memory/memory.limit_in_bytes",
         "/sys/fs/cgroup/memory/memory.usage_in_bytes"},
    };
    uint64_t capacity = available_bytes();
    for (unsigned i = 0; i < ARRAY_LENGTH(container); i++) {
        uint64_t limit = number_in_file(container[i][0]);
        uint64_t used = number_in_file(container[i][1]);
        uint64_t left = limit > used ? limit - used : 0;
        if (limit != UINT64_MAX && left < capacity) {
            capacity = left;
        }
    }
    return capacity;
}

uint64_t memory_first_size(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return LARGEST_SIZE;
    }
    uint64_t used = number_in_file("/proc/self/statm") * (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t left = limit.rlim_cur > used ? limit.rlim_cur - used : 0;
    uint64_t size = LARGEST_SIZE;
    while (size > left / 4) {
        size /= 2;
    }
    return size;
}

uint64_t memory_on_host(uint64_t address, uint64_t bytes)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t at = address & ~(page - 1);
    unsigned char resident;
    while ((at < address || at - address < bytes) &&
           mincore((void *)(uintptr_t)at, 1, &resident) == 0) {
        at += page;
    }
    return at <= address ? 0 : at - address < bytes ? at - address : bytes;
}
