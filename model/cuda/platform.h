// The parts of CUDA that the module's code uses, with two implementations.
//
//   cuda_platform.h         the device, compiled by nvcc
//   SURTITLE_CUDA_PLATFORM  a header that the build may name: the tests' emulator, which runs
//                           the same kernels on the CPU
//
// Both define, in namespace surtitle::cuda:
//
//   SURTITLE_KERNEL, SURTITLE_DEVICE  attributes of a function
//   thread_index()                    threadIdx.x
//   block_index(), block_row()        blockIdx.x, blockIdx.y
//   block_threads()                   blockDim.x
//   sync_threads()                    called by all threads of the block
//   shuffle_xor()                     called by all 32 threads of the warp
//   dynamic_shared()                  the block's LaunchShape::shared bytes, 16-byte aligned
//   Half, to_float(), from_float<T>() storage types: Half and float
//   Stream                            kernels, products, copies in order; graphs; see below
//   device_allocate() ...             memory; Buffer and Pinned (memory.h) own it
//
// Stream, whose calls throw std::runtime_error with the failed operation:
//
//   launch(kernel, shape, argument)   a kernel takes one struct
//   product(x, rows, w, outputs, inputs, y, add)  y [rows, outputs], float32, (+)= x w^T, summed in
//                                     float32
//   upload(), download()              from and to pinned memory
//   copy()                            within the device's memory
//   capture(body)                     returns a Graph of body's calls without running them
//   replay(graph)                     runs the whole graph
//   synchronize()                     waits for all calls above, which are asynchronous
//
// REQUIRES: no allocation and no synchronize() inside capture().
//
// Thread-safety: none.
#pragma once

#if defined(SURTITLE_CUDA_PLATFORM)
#include SURTITLE_CUDA_PLATFORM
#else
#include "model/cuda/cuda_platform.h"
#endif
