/* cuda_pipeline.h - the pipeline primitives under the name that programs include. */
#ifndef SIMT_CUDA_PIPELINE_H
#define SIMT_CUDA_PIPELINE_H

#include "cuda_pipeline_primitives.h"

#endif
