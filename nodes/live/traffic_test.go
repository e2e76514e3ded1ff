package live

import (
	"context"
	"net/netip"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/pktio/udp"
	"github.com/inalab/inalab/nodes/traffic"
)

// starter is a parent that starts the run as soon as the process is ready.
type starter struct{}

func (starter) Ready() error                              { return nil }
func (starter) AwaitStart(context.Context) (int64, error) { return pktio.MonotonicNow(), nil }

var (
	loopback = netip.MustParseAddrPort("127.0.0.1:0")
	foreign  = netip.MustParseAddrPort("192.0.2.1:20000") // of nobody (RFC 5737)
)

// A flow that cannot be is an error that names it, before the run or in it.
func TestFlowsThatCannotBe(t *testing.T) {
	for want, cfg := range map[string]TrafficConfig{
		"opening flow a at h0: open udp device on": {UDP: []UDPEnd{{Flow: "a", Socket: udp.Config{Bind: loopback}}, {Flow: "a", Socket: udp.Config{Bind: foreign}}}},
		"opening flow b at h0: a flow of UDP with": {UDP: []UDPEnd{{Flow: "b", Source: &traffic.SourceConfig{}, Socket: udp.Config{Bind: loopback}}}},
		"opening flow c at h0: listen tcp4":        {TCP: []TCPEnd{{Flow: "c", Local: foreign}}},
		"flow d: dial tcp4": {
			UDP: []UDPEnd{{Flow: "e", Socket: udp.Config{Bind: loopback}}}, // which ends with it
			TCP: []TCPEnd{{Flow: "d", Local: foreign, Remote: loopback, Sends: &traffic.Pattern{Packet: 1}}},
		},
	} {
		cfg.Node = "h0"
		if _, err := RunTraffic(t.Context(), cfg, starter{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// Flows go on until the run ends, and all of them report then.
func TestFlowsThatNeverStart(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	report, err := RunTraffic(ctx, TrafficConfig{Node: "h0", UDP: []UDPEnd{{Flow: "a", Socket: udp.Config{Bind: loopback}}}, TCP: []TCPEnd{
		{Flow: "b", Local: loopback, Remote: foreign, Sends: &traffic.Pattern{Packet: 1, Start: 1}}, {Flow: "c", Local: loopback},
	}}, starter{})
	if err != nil || report.Node != "h0" || len(report.Ends) != 3 {
		t.Fatalf("error %v, report %+v", err, report)
	}
	for i, e := range report.Ends {
		if e.Flow != string(rune('a'+i)) || e.Sends != (i == 1) || e.Sent != (traffic.Sent{}) || e.Received != (traffic.Received{}) {
			t.Errorf("end %d: %+v", i, e)
		}
	}
}
