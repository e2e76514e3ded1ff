package xagg

import (
	"errors"

	elements "github.com/inalab/inalab/switchd/program/xagg"
	"github.com/inalab/inalab/switchd/xdp"
)

// inKernel loads the elements into the kernel, in front of an interface of this namespace.
func (c *hostConfig) inKernel(cfg elements.Config) (front, error) {
	a, err := xdp.Load(xdp.Options{Config: cfg})
	if err != nil {
		return front{}, err
	}
	if _, err := a.Attach(c.Iface, xdp.Probe); err != nil {
		return front{}, errors.Join(err, a.Close())
	}
	return front{store: a, closer: a}, nil
}
