/* Memory that host and device share: managed structures full of pointers, pinned and registered
 * host memory, and many allocations at once. */
#include "tests/frontend/check.h"

#include <vector>

struct node {
    int value;
    node *next;
};

__global__ void sum_list(const node *head, int *sum)
{
    *sum = 0;
    for (const node *n = head; n != NULL; n = n->next)
        *sum += n->value;
}

__global__ void reverse_list(node **head)
{
    node *before = NULL;
    for (node *n = *head; n != NULL;) {
        node *next = n->next;
        n->next = before;
        before = n;
        n = next;
    }
    *head = before;
}

__global__ void add_one(int *p, int n)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n)
        p[i] += 1;
}

static void check_managed_list(void)
{
    enum { LENGTH = 50 };
    node *nodes = make_array<node>(LENGTH), **head = make_array<node *>(1);
    int *sum = make_array<int>(1);
    for (int i = 0; i < LENGTH; i++) {
        nodes[i].value = i + 1;
        nodes[i].next = i + 1 < LENGTH ? &nodes[i + 1] : NULL;
    }
    *head = nodes;
    sum_list<<<1, 1>>>(*head, sum);
    reverse_list<<<1, 1>>>(head);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_INT(*sum, LENGTH * (LENGTH + 1) / 2);
    CHECK(*head == &nodes[LENGTH - 1] && nodes[0].next == NULL && nodes[9].next == &nodes[8]);
    struct cudaPointerAttributes is;
    CHECK_CUDA(cudaPointerGetAttributes(&is, nodes + 3));
    CHECK(is.type == cudaMemoryTypeManaged && is.devicePointer == nodes + 3);
    CHECK_CUDA(cudaFree(nodes));
    CHECK_CUDA(cudaFree(head));
    CHECK_CUDA(cudaFree(sum));
}

static void check_pinned(void)
{
    int *pinned, *device;
    CHECK_CUDA(cudaHostAlloc(&pinned, 100 * sizeof(int), cudaHostAllocMapped));
    CHECK_CUDA(cudaHostGetDevicePointer(&device, pinned, 0));
    for (int i = 0; i < 100; i++)
        pinned[i] = i;
    add_one<<<4, 32>>>(device, 100);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_INT(pinned[0], 1);
    CHECK_INT(pinned[99], 100);
    CHECK_CUDA(cudaFreeHost(pinned));

    std::vector<int> ordinary(100, 5);
    CHECK_CUDA(cudaHostRegister(ordinary.data(), 400, cudaHostRegisterMapped));
    CHECK_CUDA(cudaHostGetDevicePointer(&device, ordinary.data(), 0));
    add_one<<<4, 32>>>(device, 100);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_INT(ordinary[99], 6);
    CHECK_CUDA(cudaHostUnregister(ordinary.data()));
}

static void check_many(void)
{
    enum { COUNT = 3000 };
    static int *pointers[COUNT];
    size_t before, now, total;
    CHECK_CUDA(cudaMemGetInfo(&before, &total));
    for (int i = 0; i < COUNT; i++) {
        CHECK_CUDA(cudaMalloc(&pointers[i], sizeof(int) * (size_t)(1 + i % 100)));
        CHECK_CUDA(cudaMemcpy(pointers[i] + i % 100, &i, sizeof(int), cudaMemcpyHostToDevice));
        CHECK((size_t)pointers[i] % 256 == 0);
    }
    for (int i = 0; i < COUNT; i++) {
        int back = -1;
        CHECK_CUDA(cudaMemcpy(&back, pointers[i] + i % 100, sizeof(int), cudaMemcpyDeviceToHost));
        CHECK_INT(back, i);
        CHECK_CUDA(cudaFree(pointers[i]));
    }
    CHECK_CUDA(cudaMemGetInfo(&now, &total));
    if (on_simulator) /* a GPU's driver keeps pages back for the next small allocation */
        CHECK_INT(now, before);
    CHECK(now <= total);
}

static void check_too_much(void)
{
    size_t before, total;
    char *p = (char *)&before;
    CHECK_CUDA(cudaMemGetInfo(&before, &total));
    CHECK(cudaMalloc(&p, total + 1) == cudaErrorMemoryAllocation);
    CHECK(cudaMalloc(&p, ~(size_t)0) == cudaErrorMemoryAllocation);
    CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
    CHECK_CUDA(cudaMalloc(&p, 1)); /* not sticky */
    CHECK_CUDA(cudaFree(p));
}

int main(void)
{
    check_managed_list();
    check_pinned();
    check_many();
    check_too_much();
    return check_done();
}
