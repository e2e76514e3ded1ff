package mem

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/units"
)

func TestBadConfigs(t *testing.T) {
	for _, c := range []struct {
		config Config
		want   string
	}{
		{Config{SRAM: 1}, "SRAM of 1B: it must be whole pages"},
		{Config{SRAM: MaxSRAM + pageBytes}, "SRAM of"},
		{Config{DRAM: -pageBytes}, "DRAM of"},
		{Config{DRAM: 2 * MaxDRAM}, "DRAM of 32GiB"},
		{Config{Resident: 5}, "resident limit of 5B"},
		{Config{Records: -1}, "records of -1"},
		{Config{Records: MaxRecords + 1, RecordsIn: DRAM}, "records of 1048577: 1 to 1048576 are possible"},
		{Config{Records: 1 << 18}, "262144 records take 16MiB and SRAM has 8MiB"},
		{Config{RecordsIn: 7}, "region 7"},
		{Config{Buckets: MaxBuckets + 1}, "buckets of"},
		{Config{Engines: MaxEngines + 1}, "engines of 65"},
		{Config{Granule: 24}, "granule of 24B"},
		{Config{Granule: 4}, "granule of 4B"},
		{Config{AddTime: -1}, "add time of"},
		{Config{SRAMLatency: 1}, "SRAM latency of 1ps"},
		{Config{DRAMLatency: units.Second}, "DRAM latency of 1s"},
		{Config{HashLatency: 1}, "hash latency of"},
		{Config{HashAccess: -1}, "hash access of"},
		{Config{QueueTime: -1}, "queue time of"},
		{Config{Bounds: &Bounds{SRAM: -1}}, "programs may use -1B of SRAM and 0B of DRAM"},
	} {
		_, err := New(c.config)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("New(%+v): %v; want %q", c.config, err, c.want)
		}
		if _, err2 := NewEngines(c.config); err2 == nil || err == nil || err2.Error() != err.Error() {
			t.Errorf("NewEngines(%+v): %v", c.config, err2)
		}
	}
	_, err := New(Config{Resident: 1, Engines: -1})
	if n := strings.Count(err.Error(), "shared memory: "); n != 2 {
		t.Errorf("%d errors, want both:\n%v", n, err)
	}
}
