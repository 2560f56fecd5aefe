/* cudart_peer.c - devices that use each other's memory. See cudart_devices.h. */
#include "runtime/cudart_devices.h"

#include "check/host/host_order.h"

static cudaError_t check_pair(const char *call, int device, int peer)
{
    cudaError_t code = runtime_enter();
    AND_THEN(code, devices_check(call, device));
    return code == cudaSuccess ? devices_check(call, peer) : code;
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    cudaError_t code = check_pair("cudaDeviceCanAccessPeer", device, peer);
    AND_THEN(code, runtime_need(can));
    if (code == cudaSuccess) {
        *can = device != peer; /* a device is not its own peer */
    }
    return code;
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int source,
                                      int destination)
{
    const char *call = "cudaDeviceGetP2PAttribute";
    const cudaError_t code = check_pair(call, source, destination);
    if (code == cudaSuccess && (value == NULL || source == destination)) {
        return cuda_error_saying(cudaErrorInvalidDevice, call,
                                 "devices %d and %d: a device is not its own peer", source,
                                 destination);
    }
    if (code == cudaSuccess) {
        *value = attribute == cudaDevP2PAttrAccessSupported ||
                 attribute == cudaDevP2PAttrNativeAtomicSupported;
    }
    return code;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags)
{
    const char *call = "cudaDeviceEnablePeerAccess";
    const int own = runtime_device();
    cudaError_t code = check_pair(call, own, peer);
    if (code != cudaSuccess) {
        return code;
    }
    if (own == peer || flags != 0) {
        return cuda_error_saying(
            flags != 0 ? cudaErrorInvalidValue : cudaErrorPeerAccessUnsupported, call,
            flags != 0 ? "device %d: the flags must be 0" : "device %d is not its own peer", peer);
    }
    if (devices_are_peers(own, peer)) {
        return cuda_error(cudaErrorPeerAccessAlreadyEnabled);
    }
    host_order_wait_for_launches();
    devices_set_peer(own, peer, true);
    return cudaSuccess;
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    const char *call = "cudaDeviceDisablePeerAccess";
    const int own = runtime_device();
    cudaError_t code = check_pair(call, own, peer);
    if (code == cudaSuccess && !devices_are_peers(own, peer)) {
        return cuda_error_saying(cudaErrorPeerAccessNotEnabled, call,
                                 "device %d has no access to device %d", own, peer);
    }
    if (code == cudaSuccess) {
        host_order_wait_for_launches();
        devices_set_peer(own, peer, false);
    }
    return code;
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* An address says whose it is, so the devices are only checked. */
static cudaError_t copy_space(const char *call, const struct cudaMemcpy3DPeerParms *p,
                              cudaStream_t stream, bool waits)
{
    if (p == NULL) {
        return cuda_error_saying(cudaErrorInvalidValue, call, "its parameters are a null pointer");
    }
    const cudaError_t code = check_pair(call, p->srcDevice, p->dstDevice);
    const struct cudaMemcpy3DParms copy = {.srcArray = p->srcArray,
                                           .srcPos = p->srcPos,
                                           .srcPtr = p->srcPtr,
                                           .dstArray = p->dstArray,
                                           .dstPos = p->dstPos,
                                           .dstPtr = p->dstPtr,
                                           .extent = p->extent,
                                           .kind = cudaMemcpyDeviceToDevice};
    if (code != cudaSuccess) {
        return code;
    }
    return waits ? cudaMemcpy3D(&copy) : cudaMemcpy3DAsync(&copy, stream);
}

cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *copy)
{
    return copy_space("cudaMemcpy3DPeer", copy, NULL, true);
}
PER_THREAD(cudaMemcpy3DPeer, _ptds);

cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *copy, cudaStream_t stream)
{
    return copy_space("cudaMemcpy3DPeerAsync", copy, stream, false);
}
PER_THREAD(cudaMemcpy3DPeerAsync, _ptsz);
