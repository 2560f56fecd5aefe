/* graph_capture.c - stream capture: the works of streams become nodes of a graph. See graph.h and
 * cudart_capture.h.
 *
 * A capture begins with one stream. Another joins when it waits for an event that a captured stream
 * has recorded. Each stream has the nodes that its next work depends on; each event those that it
 * was recorded behind. */
#include "runtime/graph.h"
#include "base/room.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/describe.h"
#include "runtime/cudart_capture.h"

struct captured_stream {
    cudaStream_t stream;
    struct node_set behind;
    struct captured_stream *next;
};

struct captured_event {
    cudaEvent_t event;
    struct node_set behind;
    struct captured_event *next;
};

struct capture {
    cudaGraph_t graph;
    bool own_graph; /* not the program's: cudaStreamBeginCaptureToGraph() */
    cudaStream_t origin;
    enum cudaStreamCaptureMode mode;
    pthread_t thread;
    unsigned long long id;
    bool invalid;
    struct captured_stream *streams; /* the origin is the last */
    struct captured_event *events;
    struct capture *next;
};

static struct {
    pthread_mutex_t lock;
    struct capture *first;
    unsigned long long count;
} captures = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local enum cudaStreamCaptureMode own_mode = cudaStreamCaptureModeGlobal;

static void enter(void) { pthread_mutex_lock(&captures.lock); }

static void leave(void) { pthread_mutex_unlock(&captures.lock); }

/* ---- which capture --------------------------------------------------------------------------- */

static struct captured_stream *stream_of(cudaStream_t stream, struct capture **capture)
{
    for (struct capture *c = captures.first; c != NULL; c = c->next) {
        for (struct captured_stream *s = c->streams; s != NULL; s = s->next) {
            if (s->stream == stream) {
                *capture = c;
                return s;
            }
        }
    }
    return NULL;
}

static struct captured_event *event_of(cudaEvent_t event, struct capture **capture)
{
    for (struct capture *c = captures.first; c != NULL; c = c->next) {
        for (struct captured_event *e = c->events; e != NULL; e = e->next) {
            if (e->event == event) {
                *capture = c;
                return e;
            }
        }
    }
    return NULL;
}

static bool captures_stream(cudaStream_t stream)
{
    struct capture *c;
    enter();
    const bool found = stream_of(stream, &c) != NULL;
    leave();
    return found;
}

/* ---- works become nodes ---------------------------------------------------------------------- */

/* Adds a node behind what the stream is behind, and lets the caller set it. */
static cudaError_t add(cudaStream_t stream, const struct request *kernel,
                       struct cudaGraphNodeParams *params)
{
    const char *call = "stream capture";
    struct capture *c = NULL;
    cudaError_t code;
    enter();
    struct captured_stream *s = stream_of(stream, &c);
    if (s == NULL || c->invalid) {
        leave();
        return cuda_error(cudaErrorStreamCaptureInvalidated);
    }
    cudaGraphNode_t node = graph_add(call, c->graph, s->behind.nodes, s->behind.count, &code);
    if (node != NULL) {
        code = kernel != NULL ? graph_set_kernel(call, node, kernel)
                              : graph_set_params(call, node, params);
    }
    if (code == cudaSuccess) {
        s->behind.count = 0;
        node_set_add(&s->behind, node);
    }
    c->invalid |= code != cudaSuccess;
    leave();
    return code;
}

static cudaError_t capture_kernel(const struct request *r, cudaStream_t stream)
{
    return add(stream, r, NULL);
}

static cudaError_t capture_copy(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
    return add(stream, NULL,
               &(struct cudaGraphNodeParams){.type = cudaGraphNodeTypeMemcpy,
                                             .memcpy = {.copyParams = *p}});
}

static cudaError_t capture_fill(const struct copy_fill *f, cudaStream_t stream)
{
    return add(stream, NULL,
               &(struct cudaGraphNodeParams){.type = cudaGraphNodeTypeMemset,
                                             .memset = {.dst = f->to,
                                                        .pitch = f->pitch,
                                                        .value = f->value,
                                                        .elementSize = f->element,
                                                        .width = f->width / f->element,
                                                        .height = f->height}});
}

static cudaError_t capture_host(cudaHostFn_t function, void *data, cudaStream_t stream)
{
    return add(
        stream, NULL,
        &(struct cudaGraphNodeParams){.type = cudaGraphNodeTypeHost, .host = {function, data}});
}

static cudaError_t capture_allocate(void **pointer, size_t bytes, cudaStream_t stream)
{
    struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeMemAlloc,
                                    .alloc = {.bytesize = bytes}};
    const cudaError_t code = add(stream, NULL, &p);
    *pointer = p.alloc.dptr;
    return code;
}

static cudaError_t capture_give_back(void *pointer, cudaStream_t stream)
{
    return add(stream, NULL,
               &(struct cudaGraphNodeParams){.type = cudaGraphNodeTypeMemFree, .free = {pointer}});
}

/* ---- events ---------------------------------------------------------------------------------- */

/* An external event is a node; any other says what has been captured so far. */
static cudaError_t capture_record(cudaEvent_t event, cudaStream_t stream, unsigned flags)
{
    if (flags == cudaEventRecordExternal) {
        return add(stream, NULL,
                   &(struct cudaGraphNodeParams){.type = cudaGraphNodeTypeEventRecord,
                                                 .eventRecord = {event}});
    }
    struct capture *c = NULL, *other = NULL;
    enter();
    const struct captured_stream *s = stream_of(stream, &c);
    struct captured_event *e = event_of(event, &other);
    if (e == NULL || other != c) {
        e = room_new(1, sizeof *e);
        e->event = event;
        e->next = c->events;
        c->events = e;
    }
    e->behind.count = 0;
    node_set_add_all(&e->behind, &s->behind);
    leave();
    return cudaSuccess;
}

static bool capture_wait(cudaStream_t stream, cudaEvent_t event, cudaError_t *code)
{
    struct capture *of_stream = NULL, *of_event = NULL;
    enter();
    struct captured_stream *s = stream_of(stream, &of_stream);
    const struct captured_event *e = event_of(event, &of_event);
    *code = cudaSuccess;
    if (s != NULL && e != NULL && of_stream != of_event) {
        of_stream->invalid = of_event->invalid = true;
        *code = cuda_error(cudaErrorStreamCaptureMerge);
    } else if (s == NULL && e != NULL) { /* the stream joins */
        s = room_new(1, sizeof *s);
        s->stream = stream;
        s->next = of_event->streams;
        of_event->streams = s;
    } else if (s != NULL && e == NULL) { /* recorded outside: it is done before any launch */
        of_stream->invalid = true;
        *code = cuda_error_saying(cudaErrorStreamCaptureIsolation, "cudaStreamWaitEvent",
                                  "a captured stream waits for an event that was recorded "
                                  "outside of the capture");
    }
    if (*code == cudaSuccess && e != NULL) {
        node_set_add_all(&s->behind, &e->behind);
    }
    leave();
    return s != NULL || e != NULL;
}

/* ---- what a capture forbids ------------------------------------------------------------------ */

static cudaError_t forbid(struct capture *c, cudaError_t code, const char *call, const char *why)
{
    c->invalid = true;
    return cuda_error_saying(code, call, "%s", why);
}

/* any_stream: the call concerns all streams (cudaDeviceSynchronize) or none (cudaMalloc). */
static cudaError_t capture_judge_call(const char *call, cudaStream_t stream, bool any_stream)
{
    struct capture *c = NULL;
    cudaError_t code = cudaSuccess;
    enter();
    if (!any_stream && stream_of(stream, &c) != NULL) {
        code = forbid(c, cudaErrorStreamCaptureUnsupported, call,
                      "the stream is being captured: it cannot be waited for or asked");
    }
    for (c = captures.first; any_stream && c != NULL && code == cudaSuccess; c = c->next) {
        const bool own = pthread_equal(c->thread, pthread_self());
        if (own_mode != cudaStreamCaptureModeRelaxed && c->mode != cudaStreamCaptureModeRelaxed &&
            (own || c->mode == cudaStreamCaptureModeGlobal)) {
            code = forbid(c, cudaErrorStreamCaptureUnsupported, call,
                          "a stream is being captured: a call that may wait for it is not allowed "
                          "(cudaStreamCaptureModeRelaxed would allow it)");
        }
    }
    leave();
    return code;
}

static const struct capture_hooks hooks = {
    .captures = captures_stream,
    .kernel = capture_kernel,
    .copy = capture_copy,
    .fill = capture_fill,
    .host = capture_host,
    .allocate = capture_allocate,
    .give_back = capture_give_back,
    .record = capture_record,
    .wait = capture_wait,
    .judge = capture_judge_call,
};

/* ---- begin and end --------------------------------------------------------------------------- */

static cudaError_t begin(const char *call, cudaStream_t stream, cudaGraph_t graph,
                         const cudaGraphNode_t *dependencies, size_t count,
                         enum cudaStreamCaptureMode mode, const void *site)
{
    cudaError_t code = runtime_enter();
    AND_THEN(code, cudart_check_stream(call, stream));
    if (code != cudaSuccess) {
        return code;
    }
    if (stream == NULL || stream == cudaStreamLegacy) {
        return cuda_error_saying(cudaErrorStreamCaptureUnsupported, call,
                                 "the default stream cannot be captured: create one");
    }
    if ((unsigned)mode > cudaStreamCaptureModeRelaxed || captures_stream(stream)) {
        return cuda_error_saying(cudaErrorIllegalState, call,
                                 (unsigned)mode > cudaStreamCaptureModeRelaxed
                                     ? "the mode is none"
                                     : "the stream is being captured already");
    }
    struct capture *c = room_new(1, sizeof *c);
    c->own_graph = graph == NULL;
    c->graph = graph != NULL ? graph : graph_create("cudaStreamBeginCapture", site);
    c->origin = stream;
    c->mode = mode;
    c->thread = pthread_self();
    c->streams = room_new(1, sizeof *c->streams);
    c->streams->stream = stream;
    for (size_t i = 0; i < count; i++) {
        node_set_add(&c->streams->behind, dependencies[i]);
    }
    enter();
    c->id = ++captures.count;
    c->next = captures.first;
    captures.first = c;
    leave();
    capture_begin(&hooks);
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    return begin("cudaStreamBeginCapture", stream, NULL, NULL, 0, mode, CALL_SITE());
}
PER_THREAD(cudaStreamBeginCapture, _ptsz);

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t *dependencies,
                                          const cudaGraphEdgeData *edges, size_t count,
                                          enum cudaStreamCaptureMode mode)
{
    const char *call = "cudaStreamBeginCaptureToGraph";
    (void)edges;
    cudaError_t code = graph_check(call, graph);
    for (size_t i = 0; i < count && code == cudaSuccess; i++) {
        code = graph_check_node(call, dependencies[i]);
    }
    return code == cudaSuccess ? begin(call, stream, graph, dependencies, count, mode, CALL_SITE())
                               : code;
}
PER_THREAD(cudaStreamBeginCaptureToGraph, _ptsz);

/* All work must be before the end of the stream that began. */
static bool is_joined(const struct capture *c, const struct captured_stream *origin)
{
    bool joined = true;
    for (const struct captured_stream *s = c->streams; s != NULL; s = s->next) {
        for (unsigned i = 0; i < s->behind.count; i++) {
            joined &= node_set_reaches(s->behind.nodes[i], &origin->behind);
        }
    }
    return joined;
}

static void free_capture(struct capture *c)
{
    while (c->streams != NULL) {
        struct captured_stream *next = c->streams->next;
        free(c->streams->behind.nodes);
        free(c->streams);
        c->streams = next;
    }
    while (c->events != NULL) {
        struct captured_event *next = c->events->next;
        free(c->events->behind.nodes);
        free(c->events);
        c->events = next;
    }
    free(c);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    const char *call = "cudaStreamEndCapture";
    struct capture *c = NULL;
    cudaGraph_t unwanted; /* a program that captures to its own graph may pass NULL */
    graph = graph != NULL ? graph : &unwanted;
    *graph = NULL;
    enter();
    const struct captured_stream *s = stream_of(stream, &c);
    if (s == NULL || c->origin != stream) {
        leave();
        return cuda_error_saying(
            s == NULL ? cudaErrorIllegalState : cudaErrorStreamCaptureUnmatched, call,
            s == NULL ? "the stream is not being captured"
                      : "the capture began with another stream");
    }
    const bool good = !c->invalid, joined = is_joined(c, s);
    struct capture **link = &captures.first;
    while (*link != c) {
        link = &(*link)->next;
    }
    *link = c->next;
    leave();
    capture_end();
    if (good && joined) {
        *graph = c->graph;
    } else if (c->own_graph) {
        graph_free(c->graph);
    }
    free_capture(c);
    if (!good) {
        return cuda_error(cudaErrorStreamCaptureInvalidated);
    }
    return joined ? cudaSuccess
                  : cuda_error_saying(cudaErrorStreamCaptureUnjoined, call,
                                      "a stream that joined has work that this one does not wait "
                                      "for: record an event there and wait for it here");
}
PER_THREAD(cudaStreamEndCapture, _ptsz);

/* ---- what is being captured ------------------------------------------------------------------ */

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    return cudaStreamGetCaptureInfo(stream, status, NULL, NULL, NULL, NULL, NULL);
}
PER_THREAD(cudaStreamIsCapturing, _ptsz);

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                     unsigned long long *id, cudaGraph_t *graph,
                                     const cudaGraphNode_t **dependencies,
                                     const cudaGraphEdgeData **edges, size_t *count)
{
    static const cudaGraphEdgeData plain[64]; /* programs do not ask for the edges of more */
    struct capture *c = NULL;
    const cudaError_t code = cudart_check_stream("cudaStreamGetCaptureInfo", stream);
    if (code != cudaSuccess || status == NULL) {
        return code != cudaSuccess ? code : cuda_error(cudaErrorInvalidValue);
    }
    enter();
    const struct captured_stream *s = stream_of(stream, &c);
    *status = s == NULL    ? cudaStreamCaptureStatusNone
              : c->invalid ? cudaStreamCaptureStatusInvalidated
                           : cudaStreamCaptureStatusActive;
    if (*status == cudaStreamCaptureStatusActive) {
        if (id != NULL) {
            *id = c->id;
        }
        if (graph != NULL) {
            *graph = c->graph;
        }
        if (dependencies != NULL) {
            *dependencies = s->behind.nodes;
        }
        if (edges != NULL) {
            *edges = plain;
        }
        if (count != NULL) {
            *count = s->behind.count;
        }
    }
    leave();
    return cudaSuccess;
}
PER_THREAD(cudaStreamGetCaptureInfo, _ptsz);

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *dependencies,
                                                const cudaGraphEdgeData *edges, size_t count,
                                                unsigned int flags)
{
    const char *call = "cudaStreamUpdateCaptureDependencies";
    struct capture *c = NULL;
    (void)edges;
    cudaError_t code = cudaSuccess;
    enter();
    struct captured_stream *s = stream_of(stream, &c);
    if (s == NULL) {
        code = cuda_error_saying(cudaErrorIllegalState, call, "the stream is not being captured");
    }
    for (size_t i = 0; i < count && code == cudaSuccess; i++) {
        code = graph_check_node(call, dependencies[i]);
    }
    if (code == cudaSuccess) {
        s->behind.count = flags == cudaStreamSetCaptureDependencies ? 0 : s->behind.count;
        for (size_t i = 0; i < count; i++) {
            node_set_add(&s->behind, dependencies[i]);
        }
    }
    leave();
    return code;
}
PER_THREAD(cudaStreamUpdateCaptureDependencies, _ptsz);

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    const enum cudaStreamCaptureMode before = own_mode;
    own_mode = *mode;
    *mode = before;
    return cudaSuccess;
}
