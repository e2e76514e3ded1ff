// Package awake keeps the processors of this machine from sleeping while a live run lasts.
//
// An idle processor sleeps, and takes time to wake up; that of a virtual machine has to wait until its
// host gives it a turn, which can take milliseconds. A worker that waits for the end of a compute is
// late by that. Linux has a way to ask that idle processors poll: a file that holds how long a
// wake-up may take, as long as it is open (Documentation/power/pm_qos_interface.rst). cyclictest uses
// it, too. Where there is no such file, or no right to it, processors sleep and the run goes on.
package awake

import (
	"encoding/binary"
	"fmt"
	"os"
)

// Processors are kept awake until Release, or until this process ends.
type Processors struct{ request *os.File }

// device is where wake-up latencies are asked for. Only root may, as a rule.
const device = "/dev/cpu_dma_latency"

// Keep asks for processors that do not sleep. Its error says why they will.
func Keep() (*Processors, error) { return keep(device) }

func keep(path string) (*Processors, error) {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("keeping processors awake: %w", err)
	}
	var latency [4]byte // in microseconds, an int32 of the machine
	binary.NativeEndian.PutUint32(latency[:], 0)
	if _, err := f.Write(latency[:]); err != nil {
		f.Close()
		return nil, fmt.Errorf("keeping processors awake: %w", err)
	}
	return &Processors{f}, nil
}

// Release lets them sleep again. It may be called of nil.
func (p *Processors) Release() {
	if p != nil {
		p.request.Close()
	}
}
