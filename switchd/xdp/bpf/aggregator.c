/* XAgg's aggregator (XAgg §IV-B, Algorithm 1) as an XDP program. Package switchd/program/xagg has the
 * same logic in Go, says why it is so, and is what this is tested against; functions are in its order. */
#include "kernel.h"

#define MAX_VALUES 320 /* XAgg §IV-A */
#define MAX_HOSTS 32   /* bits of a one-hot host id (XAgg §IV-A) */
#define GROUP 1024     /* XAgg §IV-D */
#define PROTOCOL 253

/* Offsets and lengths in a frame, in bytes. */
enum { ETHER = 14, IPV4 = 20, HEADER = ETHER + IPV4, VALUES = HEADER + 14 };

enum { END_OF_GROUP = 1, RETRANSMIT = 2, RESULT = 4 };

/* Counters, numbered as in package switchd/program/xagg. */
enum counter {
	PASSED, ADDED, STORED, RESENT,
	LENGTH, OTHER_JOB, NO_TABLE, OTHER_HOST, INDEX, STALE, EARLY, DUPLICATE,
	FINISHED, SENT, QUEUED, QUEUE_FULL, OVERFLOWS, COUNTERS
};

struct element {
	struct bpf_spin_lock lock;
	__u32 bitmap;
	__u16 counter;
	__u16 iteration;
	__s32 values[MAX_VALUES]; /* as many as the loader says */
};

/* Addresses and MACs are in the order of the wire. */
struct next {
	__u32 addr;
	__u16 on;
	__u16 flags;
	__u8 mac[6];
	__u8 pad[2];
};

struct table {
	__u32 covers[MAX_HOSTS]; /* by slot_of(host id) */
	__u32 required;
	struct next next;
};

struct config {
	__u32 host;
	__u32 addr;
	__u32 group;
	__u32 fragments;
	__u16 job;
	__u16 current;
	__u16 ahead;
	__u8 mac[6];
	struct table tables[2]; /* sums, results */
};

struct check {
	__u32 host;
	__u32 gradient;
	__u16 iteration;
	__u16 flags;
};

/* The entry of configs that packets are judged by. The loader fills the other one before it writes this, so
 * that no packet meets half of a configuration. */
volatile __u32 active = 0;

/* Values of a packet. The loader writes it before the verifier sees the program. */
const volatile __u32 values = 256;

struct {
	NUMBER(type, MAP_ARRAY);
	TYPE(key, __u32);
	TYPE(value, struct element);
	NUMBER(max_entries, 1);
} sums SEC(".maps"), results SEC(".maps");

/* What an element has apart from its values, by the same index: a word of its bitmap, counter and iteration, from the
 * low bits on. User space reads it in memory, without a system call and without the lock: words are
 * written and read whole. */
struct {
	NUMBER(type, MAP_ARRAY);
	NUMBER(map_flags, MMAPABLE);
	TYPE(key, __u32);
	TYPE(value, __u64);
	NUMBER(max_entries, 1);
} sum_marks SEC(".maps"), result_marks SEC(".maps");

struct {
	NUMBER(type, MAP_ARRAY);
	TYPE(key, __u32);
	TYPE(value, struct config);
	NUMBER(max_entries, 2);
} configs SEC(".maps");

struct {
	NUMBER(type, MAP_PERCPU_ARRAY);
	TYPE(key, __u32);
	TYPE(value, __u64);
	NUMBER(max_entries, COUNTERS);
} counters SEC(".maps");

struct {
	NUMBER(type, MAP_QUEUE);
	TYPE(value, struct check);
	NUMBER(max_entries, 1);
} checks SEC(".maps");

struct packet {
	__u32 host;
	__u32 gradient;
	__u32 covers;
	__u32 required;
	__u16 iteration;
	__u16 flags;
	__u16 overflows;
	__u16 finished;
};

INLINE void count(__u32 counter, __u64 n)
{
	__u64 *c = bpf_map_lookup_elem(&counters, &counter);

	if (c)
		*c += n;
}

INLINE int refuse(__u32 counter)
{
	count(counter, 1);
	return XDP_DROP;
}

INLINE __u16 load16(const void *at) { return __builtin_bswap16(*(const __u16 *)at); }
INLINE __u32 load32(const void *at) { return __builtin_bswap32(*(const __u32 *)at); }

INLINE void store16(void *at, __u16 v) { *(__u16 *)at = __builtin_bswap16(v); }
INLINE void store32(void *at, __u32 v) { *(__u32 *)at = __builtin_bswap32(v); }

/* slot_of numbers the 32 one-hot ids: the product's top 5 bits differ for all of them, as the factor
 * is a de Bruijn sequence. eBPF has no instruction that counts zeros. */
INLINE __u32 slot_of(__u32 host) { return (host * 0x077cb531U) >> 27; }

INLINE int ends_group(__u32 gradient, __u32 last) { return (gradient & (GROUP - 1)) == 0 || gradient == last; }

/* ours reports whether the frame is IPv4 without options, no fragment, protocol 253, and to this host. */
INLINE int ours(const struct config *cfg, const void *f)
{
	const __u8 *ip = f + ETHER;
	__u32 dst;

	if (load16(f + 12) != 0x0800 || ip[0] != 0x45 || (load16(ip + 6) & 0x3fff) != 0 || ip[9] != PROTOCOL)
		return 0;
	dst = *(const __u32 *)(ip + 16);
	return dst == cfg->addr || (cfg->group != 0 && dst == cfg->group);
}

/* admit judges what a packet says, without its element. It returns 0 or the counter of the refusal. */
INLINE __u32 admit(const struct config *cfg, const struct table *t, const void *h, struct packet *p)
{
	p->host = load32(h);
	p->gradient = load32(h + 4);
	p->iteration = load16(h + 10);
	p->covers = t->covers[slot_of(p->host) & (MAX_HOSTS - 1)];
	p->required = t->required;
	if (load16(h + 8) != cfg->job)
		return OTHER_JOB;
	if (p->required == 0)
		return NO_TABLE;
	if (p->host == 0 || (p->host & (p->host - 1)) != 0 || p->covers == 0)
		return OTHER_HOST;
	if (p->gradient == 0 || p->gradient > cfg->fragments)
		return INDEX;
	return 0;
}

INLINE int in_window(const struct config *cfg, __u16 iteration)
{
	return (__u16)(iteration - cfg->current) <= cfg->ahead;
}

/* begin judges a packet of another iteration than the element's. */
INLINE __u32 begin(const struct config *cfg, const struct element *e, __u16 iteration)
{
	if (!in_window(cfg, iteration))
		return (__u16)(iteration - cfg->current) & 0x8000 ? STALE : EARLY;
	if (e->bitmap != 0 && in_window(cfg, e->iteration) && ((__u16)(iteration - e->iteration) & 0x8000))
		return STALE;
	return ADDED;
}

/* judge returns what a packet is to an element: ADDED, RESENT, DUPLICATE, STALE or EARLY. */
INLINE __u32 judge(const struct config *cfg, const struct element *e, const struct packet *p)
{
	if (e->bitmap == 0 || e->iteration != p->iteration)
		return begin(cfg, e, p->iteration);
	if ((e->bitmap & p->covers) == 0)
		return ADDED;
	if ((p->flags & RETRANSMIT) && (e->bitmap & p->required) == p->required)
		return RESENT;
	return DUPLICATE;
}

/* add sums the packet's values. The first ones of an iteration replace what was there. */
INLINE void add(struct element *e, struct packet *p, const void *f)
{
	__u32 overflows = 0, keep = ~0U, n = values;

	if (e->bitmap == 0 || e->iteration != p->iteration) {
		e->bitmap = 0;
		e->counter = 0;
		e->iteration = p->iteration;
		keep = 0;
	}
	e->bitmap |= p->covers;
	e->counter++;
	for (__u32 i = 0; i < MAX_VALUES && i < n; i++) {
		__u32 old = e->values[i] & keep, v = load32(f + VALUES + 4 * i), sum = old + v;

		overflows += ((old ^ sum) & (v ^ sum)) >> 31;
		e->values[i] = sum;
	}
	p->overflows = overflows;
	p->finished = (e->bitmap & p->required) == p->required;
}

/* copy writes the element's values into the frame. */
INLINE void copy(const struct element *e, void *f)
{
	__u32 n = values;

	for (__u32 i = 0; i < MAX_VALUES && i < n; i++)
		store32(f + VALUES + 4 * i, e->values[i]);
}

/* put_path writes the headers of Ethernet and IPv4. */
INLINE void put_path(const struct config *cfg, const struct next *next, void *f)
{
	__u16 *ip = f + ETHER;
	__u32 sum = 0;

	__builtin_memcpy(f, next->mac, 6);
	__builtin_memcpy(f + 6, cfg->mac, 6);
	store16(ip, 0x4500);
	store16(ip + 1, VALUES - ETHER + 4 * values);
	store32(ip + 2, 0);
	store16(ip + 4, 64 << 8 | PROTOCOL);
	ip[5] = 0;
	*(__u32 *)(ip + 6) = cfg->addr;
	*(__u32 *)(ip + 8) = next->addr;
	for (int i = 0; i < IPV4 / 2; i++)
		sum += ip[i];
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	ip[5] = ~sum;
}

/* send completes the frame that has the element's values, and sends it back by the interface that it came in by. */
INLINE int send(const struct config *cfg, const struct next *next, const struct packet *p, void *f, __u32 in)
{
	__u16 flags = next->flags | (p->flags & RETRANSMIT);

	if (ends_group(p->gradient, cfg->fragments))
		flags |= END_OF_GROUP;
	put_path(cfg, next, f);
	store32(f + HEADER, cfg->host);
	store16(f + HEADER + 12, flags);
	count(SENT, 1);
	/* Not XDP_TX: of a veth it arrives only if the other end has an XDP program, too, since veth_xdp_flush
	 * wakes no other. */
	return bpf_redirect(in, 0);
}

/* queue puts a packet that ends a group into the check queue. */
INLINE void queue(const struct config *cfg, const struct packet *p)
{
	struct check c = {.host = p->host, .gradient = p->gradient, .iteration = p->iteration, .flags = p->flags};

	if (!(p->flags & END_OF_GROUP) && !ends_group(p->gradient, cfg->fragments))
		return;
	count(bpf_map_push_elem(&checks, &c, 0) == 0 ? QUEUED : QUEUE_FULL, 1);
}

/* tell counts what a packet was. */
INLINE void tell(const struct packet *p, __u32 what)
{
	count(what == ADDED && (p->flags & RESULT) ? STORED : what, 1);
	if (p->finished)
		count(FINISHED, 1);
	if (p->overflows)
		count(OVERFLOWS, p->overflows);
}

INLINE __u64 mark(const struct element *e)
{
	return e->bitmap | (__u64)e->counter << 32 | (__u64)e->iteration << 48;
}

/* take does Algorithm 1. All that reads or writes the element is inside its lock. */
INLINE int take(const struct config *cfg, const struct next *next, struct packet *p, void *f, __u32 in)
{
	__u32 index = p->gradient - 1, what, sends = 0;
	volatile __u64 *m;
	struct element *e;

	if (p->flags & RESULT) {
		e = bpf_map_lookup_elem(&results, &index);
		m = bpf_map_lookup_elem(&result_marks, &index);
	} else {
		e = bpf_map_lookup_elem(&sums, &index);
		m = bpf_map_lookup_elem(&sum_marks, &index);
	}
	if (!e || !m)
		return refuse(INDEX);
	bpf_spin_lock(&e->lock);
	what = judge(cfg, e, p);
	if (what == ADDED) {
		add(e, p, f);
		*m = mark(e);
	}
	if ((p->finished || what == RESENT) && next->on) {
		copy(e, f);
		sends = 1;
	}
	bpf_spin_unlock(&e->lock);
	if (what == STALE || what == EARLY)
		return refuse(what);
	tell(p, what);
	queue(cfg, p);
	return sends ? send(cfg, next, p, f, in) : XDP_DROP;
}

SEC("xdp")
int xagg(struct xdp_md *ctx)
{
	void *f = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	struct packet p = {};
	const struct table *t;
	struct config *cfg;
	__u32 slot = active, why;

	cfg = bpf_map_lookup_elem(&configs, &slot);
	if (!cfg || f + HEADER > end || !ours(cfg, f)) {
		count(PASSED, 1);
		return XDP_PASS;
	}
	if (f + VALUES + 4 * values > end || load16(f + ETHER + 2) != VALUES - ETHER + 4 * values)
		return refuse(LENGTH);
	p.flags = load16(f + HEADER + 12);
	t = &cfg->tables[(p.flags & RESULT) != 0];
	why = admit(cfg, t, f + HEADER, &p);
	if (why)
		return refuse(why);
	return take(cfg, &t->next, &p, f, ctx->ingress_ifindex);
}

const char terms[] SEC("license") = "Apache-2.0";
