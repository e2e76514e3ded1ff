package archive

import (
	"bufio"
	"os"
	"runtime"
	"strings"
)

// Machine is what a run ran on.
type Machine struct {
	Kernel string `json:"kernel"` // name and release
	CPU    string `json:"cpu"`    // model; empty where the system does not say
	CPUs   int    `json:"cpus"`   // that this process may use
	Arch   string `json:"arch"`   // as Go names it
	Go     string `json:"go"`     // version that built this
	Memory string `json:"memory"` // of the machine, as the kernel prints it
	Vector string `json:"vector"` // instructions of the vector sums; the caller fills it in
}

// ThisMachine describes the machine that this runs on, as far as it says.
func ThisMachine() Machine {
	release := firstLine("/proc/sys/kernel/osrelease")
	return Machine{
		Kernel: strings.TrimSpace(firstLine("/proc/sys/kernel/ostype") + " " + release),
		CPU:    valueOf("/proc/cpuinfo", "model name"),
		CPUs:   runtime.NumCPU(),
		Arch:   runtime.GOARCH,
		Go:     runtime.Version(),
		Memory: valueOf("/proc/meminfo", "MemTotal"),
	}
}

func firstLine(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return line
}

// valueOf returns the first value of a key in a file of "key: value" lines.
func valueOf(path, key string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if k, v, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(k) == key {
			return strings.TrimSpace(v)
		}
	}
	return ""
}
