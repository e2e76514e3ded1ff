package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/containernetworking/plugins/pkg/ns"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/pktio/afpacket"
	"github.com/inalab/inalab/internal/pktio/rawip"
	"github.com/inalab/inalab/internal/pktio/udp"
	"github.com/inalab/inalab/switchd/xdp"
)

// probeTimeout bounds it; it takes less than a second.
const probeTimeout = 20 * time.Second

// probeChecks starts the probe and returns what it found out.
func probeChecks(ctx context.Context) []check {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "/proc/self/exe", probeName)
	cmd.Args[0] = os.Args[0]
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(unix.SIGTERM) }
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	var checks []check
	if err == nil {
		err = json.Unmarshal(stdout.Bytes(), &checks)
	}
	if err != nil {
		reason := strings.TrimSpace(strings.TrimPrefix(stderr.String(), "inalab:"))
		if reason == "" {
			reason = err.Error()
		}
		return []check{fail(namespaceCheck, "none could be made: "+reason, "see privilege and namespaces above")}
	}
	return checks
}

const namespaceCheck = "network namespace"

// probe tries things out in a new network namespace.
func probe() (checks []check) {
	space, err := ns.TempNetNS()
	if err == nil {
		defer space.Close()
		err = space.Do(func(ns.NetNS) error {
			checks = probeHere()
			return nil
		})
	}
	if err != nil {
		return []check{fail(namespaceCheck, "none can be made: "+err.Error(), "run as root; inside a container, start that with --privileged")}
	}
	return checks
}

// probeHere tries things out in the namespace of the calling thread.
func probeHere() []check {
	nl, err := netlink.NewHandle(unix.NETLINK_ROUTE)
	if err != nil {
		return []check{fail(namespaceCheck, "no netlink socket can be made: "+err.Error(), "allow AF_NETLINK sockets")}
	}
	defer nl.Close()
	checks := []check{pass(namespaceCheck, "can be made"), checkSysctl(), checkVeth(nl)}
	if err := nl.LinkSetUp(&netlink.GenericLink{LinkAttrs: netlink.LinkAttrs{Name: "lo", Index: 1}}); err != nil {
		return append(checks, fail("loopback", "it cannot be set up: "+err.Error(), "allow changes of links"))
	}
	checks = append(checks, checkPacketSockets(afpacket.Probe()), checkUDP(udp.Probe()), checkRaw(rawip.Probe()))
	checks = append(checks, checkXDP(xdp.ProbeFeatures(probeVeth, "lo"))...)
	return append(checks, checkRate(measureRate())...)
}

// checkSysctl changes a setting as every lab does in its own namespaces.
func checkSysctl() check {
	const name, path = "rp_filter", "/proc/sys/net/ipv4/conf/all/rp_filter"
	if err := os.WriteFile(path, []byte("0"), 0); err != nil {
		return fail(name, "it cannot be set inside a namespace: "+err.Error(), "mount /proc/sys writable; inside a container, start that with --privileged")
	}
	return pass(name, "off inside labs, whatever it is here")
}

const probeVeth = "probe0" // an end of the pair that checkVeth leaves in the namespace

func checkVeth(nl *netlink.Handle) check {
	const name = "veth"
	pair := &netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: probeVeth}, PeerName: "probe1"}
	err := nl.LinkAdd(pair)
	switch {
	case errors.Is(err, unix.EOPNOTSUPP):
		return fail(name, "this kernel does not know it: "+err.Error(), "modprobe veth; or a kernel with CONFIG_VETH")
	case err != nil:
		return fail(name, "none can be made: "+err.Error(), "run as root; inside a container, start that with --privileged")
	}
	return pass(name, "can be made")
}

func checkPacketSockets(f afpacket.Features, err error) check {
	const name = "packet sockets"
	if err != nil {
		return fail(name, err.Error(), "run as root; a kernel with CONFIG_PACKET")
	}
	var yes, missing []string
	for _, x := range []struct {
		what string
		f    afpacket.Feature
	}{{"PACKET_VNET_HDR", f.VnetHdr}, {"TPACKET_V2", f.TPacketV2}, {"UDP super-packets", f.GSOSend}} {
		if x.f.Support == pktio.Yes {
			yes = append(yes, x.what)
			continue
		}
		missing = append(missing, fmt.Sprintf("%s: %v (%s)", x.what, x.f.Support, x.f.Reason))
	}
	if len(missing) > 0 {
		return warn(name, "switches move frame by frame: "+strings.Join(missing, "; "), "install Linux "+fastKernel+" or later")
	}
	return pass(name, strings.Join(yes, ", "))
}

func checkUDP(f udp.Features) check {
	const name = "udp offload"
	if f.GSO != pktio.Yes || f.GRO != pktio.Yes {
		return warn(name, fmt.Sprintf("workers move datagram by datagram: UDP_SEGMENT %v, UDP_GRO %v", f.GSO, f.GRO), "install Linux "+oldestKernel+" or later")
	}
	return pass(name, "UDP_SEGMENT, UDP_GRO")
}
