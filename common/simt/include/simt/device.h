/* simt/device.h - what every header of device functions starts from.
 *
 * SIMT_DEVICE marks a function that disappears into its caller: always inlined, and without debug
 * information of its own, so that its instructions carry the line of the kernel that called it. */
#ifndef SIMT_DEVICE_H
#define SIMT_DEVICE_H

#include "../host_defines.h"

#ifdef __CUDA__
#define SIMT_DEVICE static __inline__ __attribute__((device, always_inline, nodebug, unused))
/* Behind the parameters of a lambda of such a function: its instructions carry no lines either. */
#define SIMT_LAMBDA __attribute__((nodebug))
#define SIMT_BOTH   static __inline__ __attribute__((host, device, always_inline, nodebug, unused))
/* The same for functions of some length, which may stay functions. */
#define SIMT_BOTH_LONG static __inline__ __attribute__((host, device, nodebug, unused))
/* The same for members and for functions that several files share. */
#define SIMT_METHOD __inline__ __attribute__((host, device, always_inline, nodebug))
#else /* a .cpp file of the program: what the host has of a header */
#define SIMT_BOTH      static __inline__ __attribute__((always_inline, unused))
#define SIMT_BOTH_LONG static __inline__ __attribute__((unused))
#define SIMT_METHOD    __inline__ __attribute__((always_inline))
#endif

#endif
