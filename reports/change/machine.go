package change

import (
	"fmt"

	"github.com/inalab/inalab/reports/archive"
)

// Machine names the kind of machine that a run ran on.
func Machine(m *archive.Manifest) string {
	cpu := m.Machine.CPU
	if cpu == "" {
		cpu = "unknown processor"
	}
	return fmt.Sprintf("%s, %d usable, %s", cpu, m.Machine.CPUs, m.Machine.Arch)
}
