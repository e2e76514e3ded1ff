package netns

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A kernel answers a datagram to a port without a socket, unless its node is silent. A silent
// node still has sockets.
func TestSilentNode(t *testing.T) {
	needRoot(t)
	for _, silent := range []bool{false, true} {
		t.Run(fmt.Sprint(silent), func(t *testing.T) {
			spec := twoHosts(NewLabName())
			checkLeaks(t, spec.Lab)
			spec.Nodes[0].Silent = silent
			l := up(t, spec, Options{StateDir: t.TempDir()})
			unreachable, err := knock(l)
			if err != nil {
				t.Fatal(err)
			}
			if answered := unreachable > 0; answered == silent {
				t.Errorf("h1 has sent %d ICMP errors", unreachable)
			}
			if err := exchange(l, "x"); err != nil {
				t.Error(err)
			}
		})
	}
}

// knock sends datagrams from r to a port of h1 without a socket, and returns how many ICMP
// errors h1 has sent when it has dealt with the first.
func knock(l *Lab) (unreachable int, err error) {
	var c net.PacketConn
	if err := l.Do("r", func() (err error) {
		c, err = net.ListenPacket("udp4", "10.0.1.254:0")
		return err
	}); err != nil {
		return 0, err
	}
	defer c.Close()
	for n := 1; n <= 2; n++ {
		if _, err := c.WriteTo([]byte("x"), &net.UDPAddr{IP: net.IPv4(10, 0, 1, 1), Port: 4000}); err != nil {
			return 0, err
		}
		if err := l.Do("h1", func() error { return await("Udp", "NoPorts", n) }); err != nil {
			return 0, err
		}
	}
	err = l.Do("h1", func() (err error) {
		unreachable, err = counter("Icmp", "OutDestUnreachs")
		return err
	})
	return unreachable, err
}

// await waits until a counter of the calling thread's namespace is n or more.
func await(proto, name string, n int) error {
	for until := time.Now().Add(5 * time.Second); ; {
		got, err := counter(proto, name)
		if err != nil || got >= n {
			return err
		}
		if time.Now().After(until) {
			return fmt.Errorf("%s %s is %d, want %d", proto, name, got, n)
		}
	}
}

// counter returns a counter of the calling thread's namespace, as /proc/net/snmp has it: a
// line of names, and one of numbers below it.
func counter(proto, name string) (int, error) {
	text, err := os.ReadFile("/proc/thread-self/net/snmp")
	if err != nil {
		return 0, err
	}
	var names []string
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if words[0] != proto+":" {
			continue
		}
		if names == nil {
			names = words
			continue
		}
		for i := range names {
			if names[i] == name {
				return strconv.Atoi(words[i])
			}
		}
	}
	return 0, fmt.Errorf("no counter %s of %s in %s", name, proto, text)
}
