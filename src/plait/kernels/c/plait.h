/* What every file of the compiled loops shares. Plain C11, no Python interface.
 *
 * Arithmetic on doubles must give the bits that NumPy gives: the build says -ffp-contract=off, and
 * nothing here may reorder sums. */
#ifndef PLAIT_H
#define PLAIT_H

#include <float.h>
#include <stddef.h>
#include <stdint.h>

#if FLT_EVAL_METHOD != 0
#error "floats are computed with more digits than NumPy computes them with"
#endif
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the arrays are little-endian"
#endif

#if defined(_WIN32)
#define PLAIT_API __declspec(dllexport)
#else
#define PLAIT_API __attribute__((visibility("default")))
#endif

/* Instructions beyond the baseline are used in functions of their own, chosen at run time. Not on
 * Windows: there GCC does not align the stack for wide registers, and Clang brings no library that
 * tells what the processor can do. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(_WIN32)
#define PLAIT_X86 1
#define PLAIT_TARGET(features) __attribute__((target(features)))
#else
#define PLAIT_X86 0
#define PLAIT_TARGET(features)
#endif

/* Have memory brought near that is wanted soon. */
#if defined(__GNUC__)
#define PREFETCH(address) __builtin_prefetch(address)
#else
#define PREFETCH(address) ((void)(address))
#endif

/* What the processor can do, found once: 0 baseline, 1 AVX2, 2 AVX-512 with VPOPCNTDQ and VBMI. */
int plait_level(void);

#endif
