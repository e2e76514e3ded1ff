package onehop

import (
	"strings"
	"testing"
	"time"
)

func TestConfigIsRefused(t *testing.T) {
	for want, c := range map[string]Config{
		`aggregator "tofino": there are xdp, xdp-generic, poll, tcp, tcp-plain`: {Aggregator: "tofino", Values: 32, For: time.Second},
		"31 values: a packet has 32 to 320":                                     {Aggregator: XDP, Values: 31, For: time.Second},
		"321 values: a packet has 32 to 320":                                    {Aggregator: XDP, Values: 321, For: time.Second},
		"9 queues: 1 to 8":                                                      {Aggregator: XDP, Values: 32, Queues: 9, Shared: true, For: time.Second},
		"2 queues of tcp: several are measured of xdp alone":                    {Aggregator: TCP, Values: 32, Queues: 2, Shared: true, For: time.Second},
		"2 queues: each shares the CPU of its sender":                           {Aggregator: XDP, Values: 32, Queues: 2, For: time.Second},
		"-1 packets a second":                                                   {Aggregator: XDP, Values: 32, Rate: -1, For: time.Second},
		"bursts of 65 packets: 1 to 64":                                         {Aggregator: XDP, Values: 32, Burst: 65, For: time.Second},
		"0s is too short to measure":                                            {Aggregator: XDP, Values: 32},
		"tcp has threads of its own: only xdp shares CPUs":                      {Aggregator: TCP, Values: 32, Shared: true, For: time.Second},
	} {
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want %q", c, err, want)
		}
	}
	for _, k := range Kinds() {
		if err := (Config{Aggregator: k, Values: 256, For: time.Second}).Validate(); err != nil {
			t.Errorf("%s: %v", k, err)
		}
	}
}

func TestResult(t *testing.T) {
	r := Result{Elapsed: 2 * time.Second, Used: time.Second / 2, Sent: 1000, Received: 900}
	if r.Rate() != 450 || r.CoreRate() != 1800 || r.Loss() != 0.1 {
		t.Errorf("%v a second, %v a core, loss %v; want 450, 1800, 0.1", r.Rate(), r.CoreRate(), r.Loss())
	}
	if r.Sending = time.Second / 4; r.CoreRateUnsent() != 3600 {
		t.Errorf("%v a core without sending, want 3600", r.CoreRateUnsent())
	}
	r = Result{Elapsed: time.Second, Sent: 10, Received: 12} // two were on their way when it began
	if r.Loss() != 0 || r.CoreRate() != 0 {
		t.Errorf("loss %v, %v a core; want neither", r.Loss(), r.CoreRate())
	}
}
