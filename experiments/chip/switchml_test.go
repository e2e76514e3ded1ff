package chip

import (
	"testing"

	"github.com/inalab/inalab/switchd/tofino"
)

// A chip whose ports back are too slow for 64 values as well does not keep up, and
// more and more packets are inside.
func TestLineRateCanBeMissed(t *testing.T) {
	good := offered{name: "good", traffic: traffic{elements: 64, workers: 4}, front: tofino.PortRate, loop: tofino.PortRate}
	slow := offered{name: "slow", traffic: traffic{elements: 64, workers: 4}, front: tofino.PortRate, loop: tofino.PortRate / 4}
	for _, o := range []*offered{&good, &slow} {
		if err := o.run(3); err != nil {
			t.Fatal(err)
		}
	}
	if good.rate() != 1 || good.growth != 0 || good.wrong != 0 {
		t.Errorf("%+v", good)
	}
	if slow.rate() > 0.5 || slow.growth < 100 || slow.busy < 0.95 {
		t.Errorf("%+v", slow)
	}
}

// A pool of fewer slots takes fewer blocks, and what fit placed is all of the pool.
func TestMemoryOfAPool(t *testing.T) {
	small, err := MemoryShare(512)
	if err != nil {
		t.Fatal(err)
	}
	all, err := MemoryShare(8192)
	if err != nil {
		t.Fatal(err)
	}
	if small.registers >= all.registers || all.registers >= all.whole || all.valueBytes != 16*small.valueBytes {
		t.Errorf("%+v, %+v", small, all)
	}
}
