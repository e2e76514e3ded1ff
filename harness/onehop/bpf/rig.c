/* The worker's and the parameter server's ends of one hop as XDP programs: a generator of gradient packets, which the
 * kernel runs in live-frame mode, the worker's switch, a sink and a stop watch. See the package's doc.go. */
#include "kernel.h"

#define PROTOCOL 253
#define CPUS 8        /* as many as there are; the loader says */
#define SAMPLES 65536 /* round trips that are kept; a power of 2 */
#define LATE 32       /* packets: a generator that is later does not catch up, since an eighth of a veth's ring is a
                       * burst that an aggregator with room to spare takes (assumed) */

/* Offsets in a frame, in bytes, as in package wire/xagg. The stamp is in the place of the first two values; the
 * third says that they are those that were sent. */
enum { ETHER = 14, HEADER = 34, GRADIENT = 38, ITERATION = 44, VALUES = 48, STAMP = 48, THIRD = 56, END = 60 };

/* The sender of a CPU. Frames of an iteration are numbered first to last, then those of the next iteration follow. */
struct generator {
	__u64 gap;  /* nanoseconds from one burst to the next; 0: none */
	__u64 next; /* when the next one may leave */
	__u64 sent;
	__u32 first;
	__u32 last;
	__u32 gradient; /* of the next one */
	__u32 iteration;
	__u32 burst;
	__u32 credit; /* packets of a burst that are to leave */
	__u8 header[VALUES];
};

struct {
	NUMBER(type, MAP_ARRAY);
	TYPE(key, __u32);
	TYPE(value, struct generator);
	NUMBER(max_entries, CPUS);
} generators SEC(".maps");

struct {
	NUMBER(type, MAP_ARRAY);
	TYPE(key, __u32);
	TYPE(value, __u64);
	NUMBER(max_entries, SAMPLES);
} samples SEC(".maps");

struct {
	NUMBER(type, MAP_PERCPU_ARRAY);
	TYPE(key, __u32);
	TYPE(value, __u64);
	NUMBER(max_entries, 1);
} received SEC(".maps");

struct {
	NUMBER(type, MAP_XSK);
	TYPE(key, __u32);
	TYPE(value, __u32);
	NUMBER(max_entries, 1);
} sockets SEC(".maps");

/* Round trips that came back. One queue of the worker writes it. */
volatile __u64 sampled = 0;

/* The interface of the worker that leads to the parameter server. */
const volatile __u32 onward = 0;

/* The sink returns one in 64 packets to the worker, if it is to. */
const volatile __u32 returns = 0;

/* Who sends to the sink, and the third value, in the order of the wire. */
const volatile __u32 from = 0;
const volatile __u32 third = 0;

INLINE void store16(void *at, __u16 v) { *(__u16 *)at = __builtin_bswap16(v); }
INLINE void store32(void *at, __u32 v) { *(__u32 *)at = __builtin_bswap32(v); }

INLINE int gradients(const void *f, const void *end)
{
	return f + END <= end && *(const __u16 *)(f + 12) == __builtin_bswap16(0x0800) && *(const __u8 *)(f + ETHER + 9) == PROTOCOL;
}

/* due reports whether a packet may leave now. */
INLINE int due(struct generator *g, __u64 now)
{
	if (g->gap == 0)
		return 1;
	if (g->credit > 0) {
		g->credit--;
		return 1;
	}
	if (now < g->next)
		return 0;
	g->credit = g->burst - 1;
	g->next = (now - g->next) * g->burst > LATE * g->gap ? now + g->gap : g->next + g->gap;
	return 1;
}

SEC("xdp")
int generate(struct xdp_md *ctx)
{
	void *f = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	__u32 index = bpf_get_smp_processor_id();
	struct generator *g = bpf_map_lookup_elem(&generators, &index);
	__u64 now = bpf_ktime_get_ns();

	if (!g || f + END > end || !due(g, now))
		return XDP_DROP;
	__builtin_memcpy(f, g->header, VALUES);
	store32(f + GRADIENT, g->gradient);
	store16(f + ITERATION, g->iteration);
	__builtin_memcpy(f + STAMP, &now, sizeof(now));
	g->sent++;
	g->gradient++;
	if (g->gradient > g->last) {
		g->gradient = g->first;
		g->iteration++;
	}
	return XDP_TX;
}

/* turn is the switch at the worker's end of the server's wire. */
SEC("xdp")
int turn(struct xdp_md *ctx)
{
	void *f = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;

	return gradients(f, end) ? bpf_redirect(onward, 0) : XDP_PASS;
}

/* sink is the parameter server. */
SEC("xdp")
int sink(struct xdp_md *ctx)
{
	void *f = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	__u32 zero = 0;
	__u64 *n;

	if (!gradients(f, end))
		return XDP_PASS;
	if (*(__u32 *)(f + HEADER) != from || *(__u32 *)(f + THIRD) != third)
		return XDP_DROP;
	n = bpf_map_lookup_elem(&received, &zero);
	if (n)
		*n += 1;
	return returns && (*(__u8 *)(f + GRADIENT + 3) & 63) == 0 ? XDP_TX : XDP_DROP;
}

/* watch takes the time of what the sink returned. */
SEC("xdp")
int watch(struct xdp_md *ctx)
{
	void *f = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	__u64 now = bpf_ktime_get_ns(), left, *at;
	__u32 index = sampled & (SAMPLES - 1);

	if (!gradients(f, end))
		return XDP_PASS;
	__builtin_memcpy(&left, f + STAMP, sizeof(left));
	at = bpf_map_lookup_elem(&samples, &index);
	if (at)
		*at = now - left;
	sampled++;
	return XDP_DROP;
}

/* steer hands all gradient packets to the process that polls the queue. */
SEC("xdp")
int steer(struct xdp_md *ctx)
{
	void *f = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;

	return gradients(f, end) ? bpf_redirect_map(&sockets, ctx->rx_queue_index, XDP_PASS) : XDP_PASS;
}

const char terms[] SEC("license") = "Apache-2.0";
