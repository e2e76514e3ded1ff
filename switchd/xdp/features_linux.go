package xdp

import (
	"errors"
	"net/netip"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/rlimit"

	wire "github.com/inalab/inalab/internal/wire/xagg"
	"github.com/inalab/inalab/switchd/program/xagg"
)

// ProbeFeatures finds out with the smallest aggregator, on two interfaces of the calling thread's namespace:
// one end of a veth for native mode, and any for generic mode. Nothing is left on them.
func ProbeFeatures(veth, other string) (f Features) {
	f.BTF, f.Memlock = explained(probeBTF()), explained(rlimit.RemoveMemlock())
	a, err := Load(Options{Config: smallest()})
	if err != nil {
		f.Program, f.Link, f.Native, f.Generic = err, err, err, err
		return f
	}
	_, f.Native = a.Attach(veth, Native)
	_, f.Generic = a.Attach(other, Generic)
	if errors.Is(f.Generic, ebpf.ErrNotSupported) {
		f.Link = f.Generic
	}
	if err := a.Close(); err != nil {
		f.Link = errors.Join(f.Link, err)
	}
	return f
}

// smallest returns the configuration of an aggregator that nobody will send to.
func smallest() xagg.Config {
	return xagg.Config{
		Values: wire.MinValues, Fragments: 1, Host: 2, Addr: netip.AddrFrom4([4]byte{127, 0, 0, 1}),
		Children: []xagg.Child{{ID: 1}}, Checks: 1,
	}
}

// explained is explain for an error that may be none.
func explained(err error) error {
	if err == nil {
		return nil
	}
	return explain(err)
}
