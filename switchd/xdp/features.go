package xdp

// Features say what this kernel, and this process's rights, have of what the aggregator needs. A nil error:
// it is there.
type Features struct {
	BTF     error // type information of maps, without which they have no locks
	Memlock error // memory beyond RLIMIT_MEMLOCK; since Linux 5.11 no limit holds for programs and maps
	Program error // the program passes the verifier
	Link    error // bpf_link, by which the kernel detaches a program when its process ends
	Native  error // XDP in the driver of veth
	Generic error // XDP in the stack
}
