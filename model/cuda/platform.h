// What the module's code sees of CUDA: a thin seam with two implementations behind it.
//
//   cuda_platform.h         the device, compiled by nvcc
//   SURTITLE_CUDA_PLATFORM  a header that the build names instead: the tests' emulator, which runs
//                           the same kernels on the CPU
//
// Both give, in namespace surtitle::cuda:
//
//   SURTITLE_KERNEL, SURTITLE_DEVICE  what a function is
//   thread_index() block_index() block_row() block_threads()  x, and y of the block
//   sync_threads(), shuffle_xor()     all threads of the block, all 32 of the warp, take part
//   dynamic_shared()                  the block's LaunchShape::shared bytes, 16-byte aligned
//   Half, to_float(), from_float<T>() storage types: Half and float
//   Stream                            kernels, products, copies in order; graphs; see below
//   device_allocate() ...             memory; Buffer and Pinned (memory.h) own it
//
// Stream, whose calls throw std::runtime_error with what failed:
//
//   launch(kernel, shape, argument)   a kernel takes one struct
//   product(x, rows, w, outputs, inputs, y, add)  y [rows, outputs], float32, (+)= x w^T, summed in
//                                     float32
//   upload(), download()              from and to pinned memory
//   copy()                            within the device's memory
//   capture(body)                     a Graph of what body does; it does not run meanwhile
//   replay(graph)                     all of it
//   synchronize()                     until all is done; nothing is, before
//
// Nothing may be allocated or awaited inside capture().
#pragma once

#if defined(SURTITLE_CUDA_PLATFORM)
#include SURTITLE_CUDA_PLATFORM
#else
#include "model/cuda/cuda_platform.h"
#endif
