/* per_thread.h - included first with --default-stream per-thread: tells the CUDA runtime so. */
#ifdef __cplusplus
extern "C" {
#endif
__attribute__((weak)) char simt_default_stream_per_thread;
#ifdef __cplusplus
}
#endif
