package netnstest

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
)

func TestWireCarriesAtOnce(t *testing.T) {
	w := Wire{
		A:   End{NewSpace(t), "a0", netip.MustParsePrefix("10.7.0.1/24")},
		B:   End{NewSpace(t), "b0", netip.MustParsePrefix("10.7.0.2/24")},
		MTU: 9000, Index: 7,
	}
	Connect(t, w)
	for _, e := range []End{w.A, w.B} {
		OnLink(t, e.Space, e.Iface, func(link netlink.Link) error {
			if mtu := link.Attrs().MTU; mtu != w.MTU {
				t.Errorf("%s has MTU %d", e.Iface, mtu)
			}
			return nil
		})
	}
	var to, from *net.UDPConn
	In(t, w.B.Space, func() (err error) {
		to, err = net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(w.B.Addr.Addr(), 5000)))
		return err
	})
	defer to.Close()
	In(t, w.A.Space, func() (err error) {
		from, err = net.DialUDP("udp4", nil, to.LocalAddr().(*net.UDPAddr))
		return err
	})
	defer from.Close()
	if err := errors.Join(write(from, "hello"), to.SetReadDeadline(time.Now().Add(upTimeout))); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 100)
	if n, _, err := to.ReadFromUDPAddrPort(b); err != nil || string(b[:n]) != "hello" {
		t.Errorf("got %q, %v", b[:n], err)
	}
	DelAddr(t, w.A.Space, "a0", w.A.Addr)
	if err := write(from, "nobody"); err == nil {
		t.Error("sent from an address that is gone")
	}
}

func write(c *net.UDPConn, text string) error {
	_, err := c.Write([]byte(text))
	return err
}

// verdict is a test that takes down how it ended.
type verdict struct {
	testing.TB
	skipped, failed string
}

func (*verdict) Helper() {}

func (v *verdict) Skip(args ...any) { v.skipped = fmt.Sprint(args...) }

func (v *verdict) Fatalf(format string, args ...any) { v.failed = fmt.Sprintf(format, args...) }

func TestRequire(t *testing.T) {
	for _, c := range []struct {
		env             string
		err             error
		skipped, failed string
	}{
		{"", nil, "", ""},
		{"1", nil, "", ""},
		{"", errNotRoot, errNotRoot.Error(), ""},
		{"0", errNotRoot, errNotRoot.Error(), ""},
		{"1", errNotRoot, "", errNotRoot.Error() + ", and INALAB_REQUIRE_ROOT=1 forbids to skip"},
	} {
		t.Setenv(EnvRequireRoot, c.env)
		v := &verdict{TB: t}
		Require(v, c.err)
		if v.skipped != c.skipped || v.failed != c.failed {
			t.Errorf("%s=%s, %v: skipped %q, failed %q", EnvRequireRoot, c.env, c.err, v.skipped, v.failed)
		}
	}
}
