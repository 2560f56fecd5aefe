/* test_graph.c - graphs without kernels: what depends on what, what an update may change, and which
 * body of a condition runs. */
#include "cudart_fixture.h"

#include <stdbool.h>

#include "suite.h"

static cudaGraph_t graph;

static void setup(void)
{
    register_program();
    CHECK_OK(cudaGraphCreate(&graph, 0));
}

static cudaGraphNode_t empty_node(const cudaGraphNode_t *behind, size_t count)
{
    cudaGraphNode_t node;
    CHECK_OK(cudaGraphAddEmptyNode(&node, graph, behind, count));
    return node;
}

/* Fills one word with the value. */
static cudaGraphNode_t fill_node(cudaGraph_t of, unsigned *word, unsigned value)
{
    const struct cudaMemsetParams fill = {
        .dst = word, .elementSize = 4, .value = value, .width = 1, .height = 1};
    cudaGraphNode_t node;
    CHECK_OK(cudaGraphAddMemsetNode(&node, of, NULL, 0, &fill));
    return node;
}

static void run(void)
{
    cudaGraphExec_t exec;
    CHECK_OK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK_OK(cudaGraphLaunch(exec, NULL));
    CHECK_OK(cudaDeviceSynchronize());
    CHECK_OK(cudaGraphExecDestroy(exec));
}

/* ---- edges ----------------------------------------------------------------------------------- */

START_TEST(a_node_that_goes_leaves_the_other_edges)
{
    const cudaGraphNode_t before[] = {empty_node(NULL, 0), empty_node(NULL, 0)};
    const cudaGraphNode_t last = empty_node(before, 2);
    cudaGraphNode_t left[2];
    size_t count = 2;
    CHECK_OK(cudaGraphDestroyNode(before[0]));
    CHECK_OK(cudaGraphNodeGetDependencies(last, left, NULL, &count));
    ck_assert_uint_eq(count, 1);
    ck_assert_ptr_eq(left[0], before[1]);
}
END_TEST

START_TEST(a_list_has_room_for_so_many_and_no_more)
{
    const cudaGraphNode_t first = empty_node(NULL, 0);
    empty_node(NULL, 0);
    cudaGraphNode_t list[2] = {NULL, NULL};
    size_t room = 1;
    CHECK_OK(cudaGraphGetNodes(graph, list, &room));
    ck_assert_ptr_eq(list[0], first);
    ck_assert_ptr_null(list[1]);
}
END_TEST

/* ---- update ---------------------------------------------------------------------------------- */

START_TEST(an_update_keeps_the_kinds_of_nodes)
{
    cudaGraph_t other;
    cudaGraphExec_t exec;
    cudaGraphExecUpdateResultInfo info = {.result = cudaGraphExecUpdateError};
    unsigned *word = device_words(1);
    empty_node(NULL, 0);
    CHECK_OK(cudaGraphCreate(&other, 0));
    const cudaGraphNode_t changed = fill_node(other, word, 1);
    CHECK_OK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK_ERROR(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(exec, other, &info));
    ck_assert_int_eq(info.result, cudaGraphExecUpdateErrorNodeTypeChanged);
    ck_assert_ptr_eq(info.errorNode, changed);
    CHECK_ERROR(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(exec, other, NULL));
    CHECK_OK(cudaGraphExecUpdate(exec, graph, &info));
    ck_assert_int_eq(info.result, cudaGraphExecUpdateSuccess);
}
END_TEST

/* ---- conditions ------------------------------------------------------------------------------ */

static cudaGraph_t body_if(unsigned value)
{
    cudaGraphConditionalHandle handle;
    cudaGraph_t body;
    cudaGraphNode_t node;
    CHECK_OK(cudaGraphConditionalHandleCreate(&handle, graph, value, cudaGraphCondAssignDefault));
    struct cudaGraphNodeParams params = {
        .type = cudaGraphNodeTypeConditional,
        .conditional = {.handle = handle, .type = cudaGraphCondTypeIf, .size = 1}};
    CHECK_OK(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params));
    body = params.conditional.phGraph_out[0];
    return body;
}

START_TEST(a_body_runs_if_its_condition_is_not_0)
{
    unsigned *words = device_words(3);
    CHECK_OK(cudaMemset(words, 0, 3 * sizeof *words));
    for (unsigned value = 0; value < 3; value++) {
        fill_node(body_if(value), words + value, 7);
    }
    run();
    ck_assert_uint_eq(word_at(words + 0), 0);
    ck_assert_uint_eq(word_at(words + 1), 7);
    ck_assert_uint_eq(word_at(words + 2), 7);
}
END_TEST

/* ---- objects of the user --------------------------------------------------------------------- */

static void note(void *count) { ++*(int *)count; }

START_TEST(an_object_lives_as_long_as_one_reference)
{
    cudaUserObject_t object;
    int destroyed = 0;
    CHECK_OK(cudaUserObjectCreate(&object, &destroyed, note, 1, cudaUserObjectNoDestructorSync));
    CHECK_OK(cudaUserObjectRetain(object, 1));
    CHECK_OK(cudaUserObjectRelease(object, 1));
    ck_assert_int_eq(destroyed, 0);
    CHECK_OK(cudaUserObjectRelease(object, 1));
    ck_assert_int_eq(destroyed, 1);
    ck_assert_int_eq(cudaUserObjectRetain(object, 1), cudaErrorInvalidValue);
}
END_TEST

/* ---- instantiation --------------------------------------------------------------------------- */

START_TEST(parameters_tell_how_an_instantiation_went)
{
    cudaGraphInstantiateParams parameters = {.result_out = cudaGraphInstantiateError};
    cudaGraphExec_t exec;
    empty_node(NULL, 0);
    CHECK_OK(cudaGraphInstantiateWithParams(&exec, graph, &parameters));
    ck_assert_int_eq(parameters.result_out, cudaGraphInstantiateSuccess);
    ck_assert_ptr_null(parameters.errNode_out);
    CHECK_OK(cudaGraphExecDestroy(exec));
}
END_TEST

/* ---- capture --------------------------------------------------------------------------------- */

START_TEST(a_launch_that_is_wrong_is_not_captured)
{
    cudaStream_t stream;
    cudaGraph_t captured;
    size_t count = 7;
    CHECK_OK(cudaStreamCreate(&stream));
    CHECK_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    capture_begin();
    CHECK_ERROR(cudaErrorInvalidValue,
                cudaLaunchKernel(&empty_stub, dim(0), dim(1), NULL, 0, stream));
    ck_assert_str_ne(capture_end(), "");
    CHECK_OK(cudaStreamEndCapture(stream, &captured));
    CHECK_OK(cudaGraphGetNodes(captured, NULL, &count));
    ck_assert_uint_eq(count, 0);
}
END_TEST

/* What a second stream does is joined, if the first one has waited for it: also long before. */
static cudaError_t capture_two_streams(bool waits)
{
    cudaStream_t first, second;
    cudaEvent_t forked, done;
    cudaGraph_t captured;
    unsigned *words = device_words(2);
    CHECK_OK(cudaStreamCreate(&first));
    CHECK_OK(cudaStreamCreate(&second));
    CHECK_OK(cudaEventCreate(&forked));
    CHECK_OK(cudaEventCreate(&done));
    CHECK_OK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
    CHECK_OK(cudaEventRecord(forked, first));
    CHECK_OK(cudaStreamWaitEvent(second, forked, 0));
    CHECK_OK(cudaMemsetAsync(words, 0, 4, second));
    CHECK_OK(cudaEventRecord(done, second));
    if (waits) {
        CHECK_OK(cudaStreamWaitEvent(first, done, 0));
    }
    CHECK_OK(cudaMemsetAsync(words + 1, 0, 4, first));
    CHECK_OK(cudaMemsetAsync(words + 1, 1, 4, first));
    capture_begin();
    const cudaError_t code = cudaStreamEndCapture(first, &captured);
    capture_end();
    return code;
}

START_TEST(work_of_a_second_stream_is_joined_or_an_error)
{
    CHECK_OK(capture_two_streams(true));
    CHECK_ERROR(cudaErrorStreamCaptureUnjoined, capture_two_streams(false));
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("graph");
    tcase_add_checked_fixture(tests, setup, NULL);
    tcase_add_test(tests, a_node_that_goes_leaves_the_other_edges);
    tcase_add_test(tests, a_list_has_room_for_so_many_and_no_more);
    tcase_add_test(tests, an_update_keeps_the_kinds_of_nodes);
    tcase_add_test(tests, a_body_runs_if_its_condition_is_not_0);
    tcase_add_test(tests, an_object_lives_as_long_as_one_reference);
    tcase_add_test(tests, parameters_tell_how_an_instantiation_went);
    tcase_add_test(tests, a_launch_that_is_wrong_is_not_captured);
    tcase_add_test(tests, work_of_a_second_stream_is_joined_or_an_error);
    return run_suite("graph", tests);
}
