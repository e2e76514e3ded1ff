/* What of the kernel's interface the program uses, so that clang alone compiles it: types, constants and
 * numbers of helpers of linux/bpf.h, which are fixed. */
#pragma once

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef int __s32;

#define SEC(name) __attribute__((section(name), used))
#define INLINE static inline __attribute__((always_inline))

/* Fields of a map definition: the BTF of a pointer's type carries the number or the type. */
#define NUMBER(name, n) int (*name)[n]
#define TYPE(name, t) t *name

enum { MAP_ARRAY = 2, MAP_PERCPU_ARRAY = 6, MAP_QUEUE = 22 };
enum { MMAPABLE = 1 << 10 }; /* BPF_F_MMAPABLE */
enum { XDP_DROP = 1, XDP_PASS = 2 };

struct xdp_md {
	__u32 data;
	__u32 data_end;
	__u32 data_meta;
	__u32 ingress_ifindex;
	__u32 rx_queue_index;
	__u32 egress_ifindex;
};

struct bpf_spin_lock {
	__u32 val;
};

static void *(*const bpf_map_lookup_elem)(void *map, const void *key) = (void *)1;
static long (*const bpf_redirect)(__u32 ifindex, __u64 flags) = (void *)23;
static long (*const bpf_map_push_elem)(void *map, const void *value, __u64 flags) = (void *)87;
static long (*const bpf_spin_lock)(struct bpf_spin_lock *lock) = (void *)93;
static long (*const bpf_spin_unlock)(struct bpf_spin_lock *lock) = (void *)94;
