/* cuda_errors.h - names and texts of CUDA's errors, for the host's functions and the kernels'. */
#ifndef SIMT_CUDA_ERRORS_H
#define SIMT_CUDA_ERRORS_H

/* "unrecognized error code" for a number that is none. */
const char *cuda_error_name(int code);
const char *cuda_error_text(int code);

#endif
