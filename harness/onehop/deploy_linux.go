//go:build 386 || amd64 || arm || arm64 || loong64 || mips64le || mipsle || ppc64le || riscv64

package onehop

import (
	"errors"
	"time"

	"github.com/containernetworking/plugins/pkg/ns"

	"github.com/inalab/inalab/switchd/xdp"
)

// Deploy loads the XDP program, which is compiled already, with elements for so many packets of 256
// values, attaches it to a veth, and takes it off again. It returns how long the first two took.
func Deploy(packets int) (took time.Duration, err error) {
	w, err := newWires(1, false)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	c := aggregatorConfig(&Config{Values: 256, Queues: 1})
	c.Fragments = uint32(packets)
	began := time.Now()
	a, err := xdp.Load(xdp.Options{Config: c})
	if err != nil {
		return 0, explain(err)
	}
	err = w.server.Do(func(ns.NetNS) error {
		_, err := a.Attach(w.ofServer(), xdp.Native)
		return err
	})
	took = time.Since(began)
	return took, errors.Join(explain(err), a.Close())
}
