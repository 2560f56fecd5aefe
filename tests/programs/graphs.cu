/* graphs.cu - CUDA graphs: explicit nodes of every kind, capture over two streams, updates, memory
 * nodes, conditional bodies, clones, and what is rejected. Run with SIMT_CHECK=races and "race" it
 * adds two nodes without an edge. */
#include <cuda_runtime.h>

#include <stdio.h>
#include <string.h>

static int failed;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            failed = 1;                                                                            \
        }                                                                                          \
    } while (0)
#define GOOD(call) CHECK((call) == cudaSuccess)

enum { N = 64 };

__global__ void add(int *p, int value) { p[threadIdx.x] += value; }
__global__ void twice(int *p) { p[threadIdx.x] *= 2; }

static cudaKernelNodeParams kernel(void *function, void **arguments)
{
    cudaKernelNodeParams p = {};
    p.func = function;
    p.gridDim = dim3(1);
    p.blockDim = dim3(N);
    p.kernelParams = arguments;
    return p;
}

static void count_up(void *data) { ++*(int *)data; }

/* memset -> add 3 -> twice -> copy -> host function */
static void test_explicit(int *d)
{
    cudaGraph_t graph, clone;
    cudaGraphExec_t exec;
    cudaGraphNode_t fill, first, second, copy, host, found;
    int out[N], value = 3, calls = 0;
    size_t count = 0;
    GOOD(cudaGraphCreate(&graph, 0));
    cudaMemsetParams m = {};
    m.dst = d, m.elementSize = 4, m.width = N, m.height = 1, m.value = 5;
    GOOD(cudaGraphAddMemsetNode(&fill, graph, NULL, 0, &m));
    void *add_arguments[] = {&d, &value}, *twice_arguments[] = {&d};
    cudaKernelNodeParams p = kernel((void *)add, add_arguments);
    GOOD(cudaGraphAddKernelNode(&first, graph, &fill, 1, &p));
    p = kernel((void *)twice, twice_arguments);
    GOOD(cudaGraphAddKernelNode(&second, graph, NULL, 0, &p));
    GOOD(cudaGraphAddDependencies(graph, &first, &second, NULL, 1));
    GOOD(cudaGraphAddMemcpyNode1D(&copy, graph, &second, 1, out, d, sizeof out,
                                  cudaMemcpyDeviceToHost));
    cudaHostNodeParams h = {count_up, &calls};
    GOOD(cudaGraphAddHostNode(&host, graph, &copy, 1, &h));
    value = 1000; /* arguments are copied when the node is added */
    GOOD(cudaGraphInstantiate(&exec, graph, 0));
    GOOD(cudaGraphLaunch(exec, 0));
    GOOD(cudaDeviceSynchronize());
    CHECK(out[0] == 16 && out[N - 1] == 16 && calls == 1);

    value = 4;
    p = kernel((void *)add, add_arguments);
    GOOD(cudaGraphExecKernelNodeSetParams(exec, first, &p));
    GOOD(cudaGraphNodeSetEnabled(exec, second, 0));
    CHECK(cudaGraphNodeSetEnabled(exec, host, 0) == cudaErrorInvalidValue);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    GOOD(cudaGraphLaunch(exec, 0));
    GOOD(cudaDeviceSynchronize());
    CHECK(out[0] == 9 && calls == 2);

    GOOD(cudaGraphGetNodes(graph, NULL, &count));
    CHECK(count == 5);
    GOOD(cudaGraphGetEdges(graph, NULL, NULL, NULL, &count));
    CHECK(count == 4);
    GOOD(cudaGraphClone(&clone, graph));
    GOOD(cudaGraphNodeFindInClone(&found, host, clone));
    CHECK(found != NULL && found != host);
    CHECK(cudaGraphAddDependencies(graph, &host, &fill, NULL, 1) == cudaSuccess);
    cudaGraphExec_t round;
    CHECK(cudaGraphInstantiate(&round, graph, 0) == cudaErrorInvalidValue); /* a circle */
    GOOD(cudaGraphExecDestroy(exec));
    GOOD(cudaGraphDestroy(graph));
    GOOD(cudaGraphDestroy(clone));
    CHECK(cudaGraphDestroy(clone) == cudaErrorInvalidValue);
}

/* A fork over two streams and a join; then the same with other numbers, by an update. */
static cudaGraph_t capture(cudaStream_t one, cudaStream_t two, int *a, int *b, int value)
{
    cudaGraph_t graph = NULL;
    cudaEvent_t fork, join;
    GOOD(cudaEventCreate(&fork));
    GOOD(cudaEventCreate(&join));
    GOOD(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    GOOD(cudaMemsetAsync(a, 0, N * sizeof *a, one));
    GOOD(cudaEventRecord(fork, one));
    GOOD(cudaStreamWaitEvent(two, fork, 0));
    add<<<1, N, 0, one>>>(a, value);
    GOOD(cudaMemsetAsync(b, 0, N * sizeof *b, two));
    add<<<1, N, 0, two>>>(b, 10 * value);
    GOOD(cudaEventRecord(join, two));
    cudaStreamCaptureStatus status;
    GOOD(cudaStreamIsCapturing(two, &status));
    CHECK(status == cudaStreamCaptureStatusActive);
    GOOD(cudaStreamWaitEvent(one, join, 0));
    twice<<<1, N, 0, one>>>(b);
    GOOD(cudaStreamEndCapture(one, &graph));
    GOOD(cudaEventDestroy(fork));
    GOOD(cudaEventDestroy(join));
    return graph;
}

static void test_capture(int *a, int *b)
{
    cudaStream_t one, two;
    cudaGraphExec_t exec;
    int out[2 * N];
    GOOD(cudaStreamCreate(&one));
    GOOD(cudaStreamCreate(&two));
    cudaGraph_t graph = capture(one, two, a, b, 1), other = capture(one, two, a, b, 7);
    size_t edges = 0;
    GOOD(cudaGraphGetEdges(graph, NULL, NULL, NULL, &edges));
    CHECK(edges == 5);
    GOOD(cudaGraphInstantiate(&exec, graph, 0));
    GOOD(cudaGraphLaunch(exec, one));
    GOOD(cudaStreamSynchronize(one));
    GOOD(cudaMemcpy(out, a, N * sizeof *a, cudaMemcpyDeviceToHost));
    GOOD(cudaMemcpy(out + N, b, N * sizeof *b, cudaMemcpyDeviceToHost));
    CHECK(out[0] == 1 && out[N] == 20);
    cudaGraphExecUpdateResultInfo result;
    GOOD(cudaGraphExecUpdate(exec, other, &result));
    GOOD(cudaGraphLaunch(exec, one));
    GOOD(cudaStreamSynchronize(one));
    GOOD(cudaMemcpy(out + N, b, N * sizeof *b, cudaMemcpyDeviceToHost));
    CHECK(out[N] == 140);

    GOOD(cudaGraphDestroy(other));
    GOOD(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal)); /* and what it forbids */
    CHECK(cudaStreamSynchronize(one) == cudaErrorStreamCaptureUnsupported);
    CHECK(cudaStreamEndCapture(one, &other) == cudaErrorStreamCaptureInvalidated && other == NULL);
    GOOD(cudaGraphExecDestroy(exec));
    GOOD(cudaGraphDestroy(graph));
    GOOD(cudaStreamDestroy(one));
    GOOD(cudaStreamDestroy(two));
}

/* Memory that is there between two nodes, and gone behind them. */
static void test_memory(int *d)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    int *scratch = NULL, out = 0;
    GOOD(cudaStreamCreate(&stream));
    GOOD(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    GOOD(cudaMallocAsync((void **)&scratch, N * sizeof *scratch, stream));
    GOOD(cudaMemsetAsync(scratch, 0, N * sizeof *scratch, stream));
    add<<<1, N, 0, stream>>>(scratch, 21);
    twice<<<1, N, 0, stream>>>(scratch);
    GOOD(cudaMemcpyAsync(d, scratch, N * sizeof *d, cudaMemcpyDeviceToDevice, stream));
    GOOD(cudaFreeAsync(scratch, stream));
    GOOD(cudaStreamEndCapture(stream, &graph));
    GOOD(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 2; i++) {
        GOOD(cudaGraphLaunch(exec, stream));
        GOOD(cudaStreamSynchronize(stream));
        GOOD(cudaMemcpy(&out, d, sizeof out, cudaMemcpyDeviceToHost));
        CHECK(out == 42);
    }
    CHECK(cudaMemcpy(&out, scratch, sizeof out, cudaMemcpyDeviceToHost) != cudaSuccess);
    GOOD(cudaGraphExecDestroy(exec));
    GOOD(cudaGraphDestroy(graph));
    GOOD(cudaStreamDestroy(stream));
}

__global__ void drawn(int *p)
{
    *p = 1;
}

/* As an H200's driver writes it; graphs are numbered in the process. */
static void test_picture(void)
{
    cudaGraph_t graph;
    cudaGraphNode_t a, b, c, e;
    char text[4000] = "", want[1000];
    unsigned n = 0;
    int *d;
    GOOD(cudaMalloc(&d, 4));
    GOOD(cudaGraphCreate(&graph, 0));
    void *arguments[] = {&d};
    cudaKernelNodeParams params = {};
    params.func = (void *)drawn;
    params.gridDim = params.blockDim = dim3(1);
    params.kernelParams = arguments;
    GOOD(cudaGraphAddKernelNode(&a, graph, NULL, 0, &params));
    GOOD(cudaGraphAddEmptyNode(&b, graph, &a, 1));
    cudaMemsetParams zero = {};
    zero.dst = d;
    zero.elementSize = zero.width = zero.height = 1;
    zero.value = 7;
    GOOD(cudaGraphAddMemsetNode(&c, graph, &b, 1, &zero));
    GOOD(cudaGraphAddMemcpyNode1D(&e, graph, &c, 1, &n, d, 4, cudaMemcpyDeviceToHost));
    char path[] = "/tmp/simt_graph_XXXXXX";
    FILE *f = fdopen(mkstemp(path), "r");
    GOOD(cudaGraphDebugDotPrint(graph, path, 0));
    CHECK(f != NULL && fread(text, 1, sizeof text - 1, f) > 0);
    CHECK(sscanf(text, "digraph dot {\nsubgraph cluster_%u {", &n) == 1 && n > 0);
    snprintf(want, sizeof want,
             "label=\"graph_%u\" graph[style=\"dashed\"];\n"
             "\"graph_%u_node_0\"[style=\"bold\" shape=\"octagon\" label=\"0\n_Z5drawnPi\n\"];\n\n"
             "\"graph_%u_node_1\"[style=\"solid\" shape=\"rectangle\" label=\"1\nEMPTY\n\"];\n\n"
             "\"graph_%u_node_2\"[style=\"solid\" shape=\"invtrapezium\"label=\"2\nMEMSET\n(7,1)\n\"];\n\n"
             "\"graph_%u_node_3\"[style=\"solid\" shape=\"trapezium\"label=\"3\nMEMCPY\n(DtoH,4)\n\"];\n\n"
             "\"graph_%u_node_0\" -> \"graph_%u_node_1\";\n",
             n, n, n, n, n, n, n);
    CHECK(strstr(text, want) != NULL);
    GOOD(cudaGraphDebugDotPrint(graph, path, cudaGraphDebugDotFlagsVerbose));
    memset(text, 0, sizeof text);
    rewind(f);
    CHECK(fread(text, 1, sizeof text - 1, f) > 0);
    CHECK(strstr(text, "shape=\"record\" label=\"{KERNEL\n| {ID | 0 (topoId: 3) | _Z5drawnPi\\<\\<\\<1,1,0\\>\\>\\>}") != NULL);
    CHECK(strstr(text, " [headlabel=0];") != NULL);
    fclose(f);
    remove(path);
    GOOD(cudaGraphDestroy(graph));
    GOOD(cudaFree(d));
}

/* Two nodes that write the same and no edge. */
static void race(int *d)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t a, b;
    int value = 1;
    void *arguments[] = {&d, &value};
    cudaKernelNodeParams p = kernel((void *)add, arguments);
    GOOD(cudaGraphCreate(&graph, 0));
    GOOD(cudaGraphAddKernelNode(&a, graph, NULL, 0, &p));
    GOOD(cudaGraphAddKernelNode(&b, graph, NULL, 0, &p));
    GOOD(cudaGraphInstantiate(&exec, graph, 0));
    GOOD(cudaGraphLaunch(exec, 0));
    GOOD(cudaDeviceSynchronize());
    GOOD(cudaGraphExecDestroy(exec));
    GOOD(cudaGraphDestroy(graph));
}

int main(int argc, char **argv)
{
    int *a, *b;
    GOOD(cudaMalloc((void **)&a, N * sizeof *a));
    GOOD(cudaMalloc((void **)&b, N * sizeof *b));
    GOOD(cudaMemset(a, 0, N * sizeof *a));
    if (argc > 1 && strcmp(argv[1], "race") == 0) {
        race(a);
    } else {
        test_explicit(a);
        test_capture(a, b);
        test_memory(a);
        test_picture();
    }
    GOOD(cudaFree(a));
    GOOD(cudaFree(b));
    return failed;
}
