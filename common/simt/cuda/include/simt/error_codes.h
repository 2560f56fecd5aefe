/* simt/error_codes.h - enum cudaError with CUDA 13's values.
 *
 * SIMT_CUDA_ERRORS(ERROR) lists every code once, so that a table of names can be made from it. */
#ifndef SIMT_ERROR_CODES_H
#define SIMT_ERROR_CODES_H

#define SIMT_CUDA_ERRORS(ERROR)                                                                    \
    ERROR(cudaSuccess, 0)                                                                          \
    ERROR(cudaErrorInvalidValue, 1)                                                                \
    ERROR(cudaErrorMemoryAllocation, 2)                                                            \
    ERROR(cudaErrorInitializationError, 3)                                                         \
    ERROR(cudaErrorCudartUnloading, 4)                                                             \
    ERROR(cudaErrorProfilerDisabled, 5)                                                            \
    ERROR(cudaErrorProfilerNotInitialized, 6)                                                      \
    ERROR(cudaErrorProfilerAlreadyStarted, 7)                                                      \
    ERROR(cudaErrorProfilerAlreadyStopped, 8)                                                      \
    ERROR(cudaErrorInvalidConfiguration, 9)                                                        \
    ERROR(cudaErrorInvalidPitchValue, 12)                                                          \
    ERROR(cudaErrorInvalidSymbol, 13)                                                              \
    ERROR(cudaErrorInvalidHostPointer, 16)                                                         \
    ERROR(cudaErrorInvalidDevicePointer, 17)                                                       \
    ERROR(cudaErrorInvalidTexture, 18)                                                             \
    ERROR(cudaErrorInvalidTextureBinding, 19)                                                      \
    ERROR(cudaErrorInvalidChannelDescriptor, 20)                                                   \
    ERROR(cudaErrorInvalidMemcpyDirection, 21)                                                     \
    ERROR(cudaErrorAddressOfConstant, 22)                                                          \
    ERROR(cudaErrorTextureFetchFailed, 23)                                                         \
    ERROR(cudaErrorTextureNotBound, 24)                                                            \
    ERROR(cudaErrorSynchronizationError, 25)                                                       \
    ERROR(cudaErrorInvalidFilterSetting, 26)                                                       \
    ERROR(cudaErrorInvalidNormSetting, 27)                                                         \
    ERROR(cudaErrorMixedDeviceExecution, 28)                                                       \
    ERROR(cudaErrorNotYetImplemented, 31)                                                          \
    ERROR(cudaErrorMemoryValueTooLarge, 32)                                                        \
    ERROR(cudaErrorStubLibrary, 34)                                                                \
    ERROR(cudaErrorInsufficientDriver, 35)                                                         \
    ERROR(cudaErrorCallRequiresNewerDriver, 36)                                                    \
    ERROR(cudaErrorInvalidSurface, 37)                                                             \
    ERROR(cudaErrorDuplicateVariableName, 43)                                                      \
    ERROR(cudaErrorDuplicateTextureName, 44)                                                       \
    ERROR(cudaErrorDuplicateSurfaceName, 45)                                                       \
    ERROR(cudaErrorDevicesUnavailable, 46)                                                         \
    ERROR(cudaErrorIncompatibleDriverContext, 49)                                                  \
    ERROR(cudaErrorMissingConfiguration, 52)                                                       \
    ERROR(cudaErrorPriorLaunchFailure, 53)                                                         \
    ERROR(cudaErrorLaunchMaxDepthExceeded, 65)                                                     \
    ERROR(cudaErrorLaunchFileScopedTex, 66)                                                        \
    ERROR(cudaErrorLaunchFileScopedSurf, 67)                                                       \
    ERROR(cudaErrorSyncDepthExceeded, 68)                                                          \
    ERROR(cudaErrorLaunchPendingCountExceeded, 69)                                                 \
    ERROR(cudaErrorInvalidDeviceFunction, 98)                                                      \
    ERROR(cudaErrorNoDevice, 100)                                                                  \
    ERROR(cudaErrorInvalidDevice, 101)                                                             \
    ERROR(cudaErrorDeviceNotLicensed, 102)                                                         \
    ERROR(cudaErrorSoftwareValidityNotEstablished, 103)                                            \
    ERROR(cudaErrorStartupFailure, 127)                                                            \
    ERROR(cudaErrorInvalidKernelImage, 200)                                                        \
    ERROR(cudaErrorDeviceUninitialized, 201)                                                       \
    ERROR(cudaErrorMapBufferObjectFailed, 205)                                                     \
    ERROR(cudaErrorUnmapBufferObjectFailed, 206)                                                   \
    ERROR(cudaErrorArrayIsMapped, 207)                                                             \
    ERROR(cudaErrorAlreadyMapped, 208)                                                             \
    ERROR(cudaErrorNoKernelImageForDevice, 209)                                                    \
    ERROR(cudaErrorAlreadyAcquired, 210)                                                           \
    ERROR(cudaErrorNotMapped, 211)                                                                 \
    ERROR(cudaErrorNotMappedAsArray, 212)                                                          \
    ERROR(cudaErrorNotMappedAsPointer, 213)                                                        \
    ERROR(cudaErrorECCUncorrectable, 214)                                                          \
    ERROR(cudaErrorUnsupportedLimit, 215)                                                          \
    ERROR(cudaErrorDeviceAlreadyInUse, 216)                                                        \
    ERROR(cudaErrorPeerAccessUnsupported, 217)                                                     \
    ERROR(cudaErrorInvalidPtx, 218)                                                                \
    ERROR(cudaErrorInvalidGraphicsContext, 219)                                                    \
    ERROR(cudaErrorNvlinkUncorrectable, 220)                                                       \
    ERROR(cudaErrorJitCompilerNotFound, 221)                                                       \
    ERROR(cudaErrorUnsupportedPtxVersion, 222)                                                     \
    ERROR(cudaErrorJitCompilationDisabled, 223)                                                    \
    ERROR(cudaErrorUnsupportedExecAffinity, 224)                                                   \
    ERROR(cudaErrorUnsupportedDevSideSync, 225)                                                    \
    ERROR(cudaErrorContained, 226)                                                                 \
    ERROR(cudaErrorInvalidSource, 300)                                                             \
    ERROR(cudaErrorFileNotFound, 301)                                                              \
    ERROR(cudaErrorSharedObjectSymbolNotFound, 302)                                                \
    ERROR(cudaErrorSharedObjectInitFailed, 303)                                                    \
    ERROR(cudaErrorOperatingSystem, 304)                                                           \
    ERROR(cudaErrorInvalidResourceHandle, 400)                                                     \
    ERROR(cudaErrorIllegalState, 401)                                                              \
    ERROR(cudaErrorLossyQuery, 402)                                                                \
    ERROR(cudaErrorSymbolNotFound, 500)                                                            \
    ERROR(cudaErrorNotReady, 600)                                                                  \
    ERROR(cudaErrorIllegalAddress, 700)                                                            \
    ERROR(cudaErrorLaunchOutOfResources, 701)                                                      \
    ERROR(cudaErrorLaunchTimeout, 702)                                                             \
    ERROR(cudaErrorLaunchIncompatibleTexturing, 703)                                               \
    ERROR(cudaErrorPeerAccessAlreadyEnabled, 704)                                                  \
    ERROR(cudaErrorPeerAccessNotEnabled, 705)                                                      \
    ERROR(cudaErrorSetOnActiveProcess, 708)                                                        \
    ERROR(cudaErrorContextIsDestroyed, 709)                                                        \
    ERROR(cudaErrorAssert, 710)                                                                    \
    ERROR(cudaErrorTooManyPeers, 711)                                                              \
    ERROR(cudaErrorHostMemoryAlreadyRegistered, 712)                                               \
    ERROR(cudaErrorHostMemoryNotRegistered, 713)                                                   \
    ERROR(cudaErrorHardwareStackError, 714)                                                        \
    ERROR(cudaErrorIllegalInstruction, 715)                                                        \
    ERROR(cudaErrorMisalignedAddress, 716)                                                         \
    ERROR(cudaErrorInvalidAddressSpace, 717)                                                       \
    ERROR(cudaErrorInvalidPc, 718)                                                                 \
    ERROR(cudaErrorLaunchFailure, 719)                                                             \
    ERROR(cudaErrorCooperativeLaunchTooLarge, 720)                                                 \
    ERROR(cudaErrorTensorMemoryLeak, 721)                                                          \
    ERROR(cudaErrorNotPermitted, 800)                                                              \
    ERROR(cudaErrorNotSupported, 801)                                                              \
    ERROR(cudaErrorSystemNotReady, 802)                                                            \
    ERROR(cudaErrorSystemDriverMismatch, 803)                                                      \
    ERROR(cudaErrorCompatNotSupportedOnDevice, 804)                                                \
    ERROR(cudaErrorMpsConnectionFailed, 805)                                                       \
    ERROR(cudaErrorMpsRpcFailure, 806)                                                             \
    ERROR(cudaErrorMpsServerNotReady, 807)                                                         \
    ERROR(cudaErrorMpsMaxClientsReached, 808)                                                      \
    ERROR(cudaErrorMpsMaxConnectionsReached, 809)                                                  \
    ERROR(cudaErrorMpsClientTerminated, 810)                                                       \
    ERROR(cudaErrorCdpNotSupported, 811)                                                           \
    ERROR(cudaErrorCdpVersionMismatch, 812)                                                        \
    ERROR(cudaErrorStreamCaptureUnsupported, 900)                                                  \
    ERROR(cudaErrorStreamCaptureInvalidated, 901)                                                  \
    ERROR(cudaErrorStreamCaptureMerge, 902)                                                        \
    ERROR(cudaErrorStreamCaptureUnmatched, 903)                                                    \
    ERROR(cudaErrorStreamCaptureUnjoined, 904)                                                     \
    ERROR(cudaErrorStreamCaptureIsolation, 905)                                                    \
    ERROR(cudaErrorStreamCaptureImplicit, 906)                                                     \
    ERROR(cudaErrorCapturedEvent, 907)                                                             \
    ERROR(cudaErrorStreamCaptureWrongThread, 908)                                                  \
    ERROR(cudaErrorTimeout, 909)                                                                   \
    ERROR(cudaErrorGraphExecUpdateFailure, 910)                                                    \
    ERROR(cudaErrorExternalDevice, 911)                                                            \
    ERROR(cudaErrorInvalidClusterSize, 912)                                                        \
    ERROR(cudaErrorFunctionNotLoaded, 913)                                                         \
    ERROR(cudaErrorInvalidResourceType, 914)                                                       \
    ERROR(cudaErrorInvalidResourceConfiguration, 915)                                              \
    ERROR(cudaErrorUnknown, 999)                                                                   \
    ERROR(cudaErrorApiFailureBase, 10000)

#define SIMT_ERROR_VALUE(name, value) name = value,
enum cudaError { SIMT_CUDA_ERRORS(SIMT_ERROR_VALUE) };
#undef SIMT_ERROR_VALUE
typedef enum cudaError cudaError_t;

#endif
