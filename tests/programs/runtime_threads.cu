/* runtime_threads.cu - threads of the host that disturb each other: a GPU that is reset while another thread
 * launches, memory that changes under a kernel, or is used when it is freed. Either it works, or the program ends with a
 * line that names the mistake: each case runs in a process of its own. */
#include <cuda_runtime.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

enum { BYTES = 4096, WORDS = BYTES / 4 };

__global__ void count(int *sum)
{
    atomicAdd(sum, 1);
}

__global__ void look(volatile int *at, int *sum, volatile int *begun)
{
    *begun = 1;
    for (int i = 0; i < 1 << 28; i++) {
        *sum += at[(i * 61 + threadIdx.x) % WORDS];
    }
}

__global__ void put(volatile int *at)
{
    at[threadIdx.x] = 1;
}

static void launch_often()
{
    for (int i = 0; i < 100; i++) {
        int *sum;
        if (cudaMalloc(&sum, sizeof *sum) == cudaSuccess) {
            count<<<100, 64>>>(sum);
            cudaDeviceSynchronize();
        }
        cudaGetLastError();
    }
}

static void reset_beside_launches()
{
    std::thread other(launch_often);
    for (int i = 0; i < 100; i++) {
        cudaDeviceReset();
    }
    other.join();
}

static void *mapped(int protection, int flags, int file)
{
    void *at = mmap(NULL, BYTES, protection, flags, file, 0);
    cudaHostRegister(at, BYTES, 0);
    return at;
}

static void look_from_another_thread(void *at)
{
    static int *sum;
    static volatile int *begun;
    cudaMalloc(&sum, sizeof *sum);
    cudaMallocHost((void **)&begun, sizeof *begun);
    *begun = 0;
    std::thread([at] {
        look<<<1, 32>>>((int *)at, sum, (int *)begun);
        cudaDeviceSynchronize();
    }).detach();
    while (*begun == 0)
        usleep(1000);
}

static void unmapped()
{
    void *at = mapped(PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    look_from_another_thread(at);
    munmap(at, BYTES);
    sleep(20); /* the process ends sooner */
}

static void truncated()
{
    FILE *file = tmpfile();
    if (ftruncate(fileno(file), BYTES) == 0) {
        look_from_another_thread(mapped(PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file)));
        sleep(ftruncate(fileno(file), 0) == 0 ? 20 : 0);
    }
}

static void read_only()
{
    put<<<1, 32>>>((int *)mapped(PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1));
    cudaDeviceSynchronize();
}

/* Managed memory that was freed is no memory of the host's either. */
static void freed()
{
    int *at;
    cudaMallocManaged(&at, BYTES);
    at[0] = 1;
    cudaFree(at);
    at[0] = 2;
}

/* Which of the two it was: a kernel that meets the mistake may also end with an error. */
static void run(const char *name, void (*one)())
{
    FILE *said = tmpfile();
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        dup2(fileno(said), STDERR_FILENO);
        one();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    rewind(said);
    char line[600] = "";
    const bool named = fgets(line, sizeof line, said) != NULL && (strstr(line, "cudaHostRegister") || strstr(line, "that was freed"));
    const bool ended = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    printf("%s: %s\n", name, named ? "the mistake is named" : ended ? "ended" : "lost without a line");
    fclose(said);
}

int main()
{
    run("reset beside launches", reset_beside_launches);
    run("unmapped", unmapped);
    run("truncated", truncated);
    run("read-only", read_only);
    run("freed", freed);
    return 0;
}
