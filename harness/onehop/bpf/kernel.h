/* What of the kernel's interface the programs use, so that clang alone compiles them: types, constants and numbers of
 * helpers of linux/bpf.h, which are fixed. */
#pragma once

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;

#define SEC(name) __attribute__((section(name), used))
#define INLINE static inline __attribute__((always_inline))

/* Fields of a map definition: the BTF of a pointer's type carries the number or the type. */
#define NUMBER(name, n) int (*name)[n]
#define TYPE(name, t) t *name

enum { MAP_ARRAY = 2, MAP_PERCPU_ARRAY = 6, MAP_XSK = 17 };
enum { XDP_DROP = 1, XDP_PASS = 2, XDP_TX = 3 };

struct xdp_md {
	__u32 data;
	__u32 data_end;
	__u32 data_meta;
	__u32 ingress_ifindex;
	__u32 rx_queue_index;
	__u32 egress_ifindex;
};

static void *(*const bpf_map_lookup_elem)(void *map, const void *key) = (void *)1;
static __u64 (*const bpf_ktime_get_ns)(void) = (void *)5;
static __u32 (*const bpf_get_smp_processor_id)(void) = (void *)8;
static long (*const bpf_redirect)(__u32 ifindex, __u64 flags) = (void *)23;
static long (*const bpf_redirect_map)(void *map, __u64 key, __u64 flags) = (void *)51;
