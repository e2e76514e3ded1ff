package scenarios

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/inalab/inalab/harness/job"
)

// programs reads the programs that run on hosts beside the job. Hosts are called
// h0, h1 and so on in every topology.
func (r *resolver) programs(list []rawProgram, hosts int) (out []job.HostProgram) {
	for i, f := range list {
		at := programAt(i)
		if n, ok := r.hostNumber(f.Host); !ok || n >= hosts {
			r.refuse(at+".host", strconv.Quote(f.Host), fmt.Sprintf("allowed are h0 to h%d", hosts-1))
		}
		if len(f.Command) == 0 || f.Command[0] == "" {
			r.refuse(at+".command", "no program", "write it and its arguments, as in [iperf3, --client, 10.0.0.2]")
		}
		out = append(out, job.HostProgram{Host: f.Host, Command: f.Command})
	}
	return out
}

func programAt(i int) string { return fmt.Sprintf("programs[%d]", i) }

// refusePrograms says which program the virtual clock cannot run, and where it
// stands.
func (s *Scenario) refusePrograms() error {
	if len(s.Programs) == 0 {
		return nil
	}
	return s.doc.Wrong(programAt(0)+".command", fmt.Errorf("%v: %w", s.Programs[0], job.ErrRealProgram))
}

// hostNumber returns the number of a host by its name, h0, h1 and so on.
func hostNumber(name string) (n int, ok bool) {
	n, err := strconv.Atoi(strings.TrimPrefix(name, "h"))
	return n, err == nil && n >= 0 && name == fmt.Sprintf("h%d", n)
}
