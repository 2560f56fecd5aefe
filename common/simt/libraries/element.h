/* element.h - elements of arrays that CUDA's libraries name by their type, as numbers: real ones of
 * 8 to 64 bits. */
#ifndef SIMT_ELEMENT_H
#define SIMT_ELEMENT_H

#include <stdint.h>

#include "include/library_types.h"

unsigned element_size(cudaDataType type); /* in bytes; 0: not one of those that we have */
double element_load(cudaDataType type, const void *array, int64_t index);
/* Rounded to the nearest; of integers cut off. */
void element_store(cudaDataType type, void *array, int64_t index, double value);

#endif
