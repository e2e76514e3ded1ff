package main

import (
	"errors"

	"github.com/inalab/inalab/switchd/xdp"
)

// xdpKernel is the oldest with bpf_link for XDP (commit aa8d3a716b59, "bpf, xdp: Add bpf_link-based XDP
// attachment API").
const xdpKernel = "5.9"

// checkXDP tells whether XAgg aggregates in the kernel. It works without, in user space.
func checkXDP(f xdp.Features) []check {
	kernel := "install Linux " + xdpKernel + " or later, with CONFIG_BPF_SYSCALL and CONFIG_BPF_JIT"
	return []check{
		xdpLine("btf", "type information of maps can be loaded", f.BTF, kernel),
		xdpLine("bpf memory", "not limited by memlock", f.Memlock, "ulimit -l unlimited, as root; or Linux 5.11 or later"),
		xdpLine("xdp program", "XAgg's aggregator can be loaded", f.Program, kernel),
		xdpLine("bpf_link", "the kernel detaches programs with their process", f.Link, kernel),
		xdpLine("xdp native", "on veth", f.Native, "a kernel whose veth driver has XDP: Linux 4.19 or later"),
		xdpLine("xdp generic", "on any interface", f.Generic, kernel),
	}
}

func xdpLine(name, reason string, err error, fix string) check {
	switch {
	case err == nil:
		return pass(name, reason)
	case errors.Is(err, xdp.ErrPermission):
		return warn(name, "XAgg aggregates in user space: "+err.Error(), "run as root")
	}
	return warn(name, "XAgg aggregates in user space: "+err.Error(), fix)
}

// checkRaw tells whether hosts may have a protocol of IPv4 for themselves.
func checkRaw(err error) check {
	const name = "raw ip sockets"
	if err != nil {
		return warn(name, "XAgg cannot run live: "+err.Error(), "run as root")
	}
	return pass(name, "can be opened")
}
