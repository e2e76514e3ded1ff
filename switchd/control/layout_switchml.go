package control

import (
	"fmt"
	"net"
	"strings"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/switchmljob"
	"github.com/inalab/inalab/topo/plan"
)

// fixWorker is what to do about a worker of SwitchML that is no host.
const fixWorker = "name hosts of this switch, or give --worker; a job over several switches needs levels, which only the job of a run has"

// layOutSwitchML puts a job of SwitchML on the engine of its workers' ports. One
// engine must have them all: a document of a job knows nothing of levels.
func layOutSwitchML(sw *plan.Switch, pfe int, j *Job) ([]part, error) {
	if r := checkSwitchML(j); r != nil {
		return nil, r
	}
	doc := &switchmljob.Job{
		ID: j.ID, Elements: j.SwitchML.Elements, Slots: j.SwitchML.Slots,
		NumWorkers: len(j.Sources) + len(j.SwitchML.Workers), // one of the two is none
	}
	out := part{pfe: pfe, switchml: doc}
	for rank := range doc.NumWorkers {
		w, at, err := workerOf(sw, j, rank)
		if err != nil {
			return nil, err
		}
		engine := max(0, at.PFE)
		if out.pfe < 0 {
			out.pfe = engine
		}
		if engine != out.pfe {
			return nil, dataplane.Refuse(dataplane.RefusedLevels, "name workers at the ports of one PFE: levels are laid out for the job of a run only",
				"job %d: rank %d at port %s is on %s of %s, and the job on %s", j.ID, rank, at.Name, sw.Chassis.PFEs[engine].Name, sw.Name, sw.Chassis.PFEs[out.pfe].Name)
		}
		w.Rank, w.Port = rank, sansio.Port(at.Index)
		doc.Workers, out.to = append(doc.Workers, w), append(out.to, w.Port)
	}
	if r := doc.Check(); r != nil {
		return nil, r
	}
	return []part{out}, nil
}

// checkSwitchML refuses what means nothing to a job of SwitchML.
func checkSwitchML(j *Job) *dataplane.Refusal {
	var foreign []string
	for _, f := range []struct {
		name  string
		given bool
	}{
		{"block_cnt_max", j.BlockMax != 0}, {"block_grad_max", j.GradMax != 0}, {"group", j.Group.IsValid()}, {"ports", len(j.Ports) > 0}, {"out_src_id", j.OutSrc != nil},
	} {
		if f.given {
			foreign = append(foreign, f.name)
		}
	}
	switch {
	case len(foreign) > 0:
		return dataplane.Refuse(dataplane.RefusedDocument, "leave it out", "job %d is of SwitchML, and has %s of Trio-ML", j.ID, strings.Join(foreign, ", "))
	case len(j.Sources) > 0 && len(j.SwitchML.Workers) > 0:
		return dataplane.Refuse(dataplane.RefusedDocument, "tell its workers in one way", "job %d has hosts and workers", j.ID)
	}
	return nil
}

// workerOf returns the worker of a rank, without rank and port, and its port.
func workerOf(sw *plan.Switch, j *Job, rank int) (w switchmljob.Worker, at *plan.Port, err error) {
	if len(j.Sources) > 0 {
		at, err = host(sw, j.ID, j.Sources[rank], fixWorker)
		if err != nil {
			return w, nil, err
		}
		for _, n := range sw.Neighbors {
			if n.Port == at.Index {
				w.Addr = n.Addr
			}
		}
		w.MAC = inet.MAC(at.PeerMAC)
		return w, at, nil
	}
	told := &j.SwitchML.Workers[rank]
	at, have := wired(sw, told.Port)
	if at == nil {
		return w, nil, noPort(sw, j.ID, told.Port, have)
	}
	if w.MAC, err = ParseMAC(told.MAC); err != nil {
		return w, nil, dataplane.Refuse(dataplane.RefusedSource, "give the address of its interface, as 02:00:00:00:00:01", "job %d: rank %d: %v", j.ID, rank, err)
	}
	w.Addr = told.Addr
	return w, at, nil
}

// ParseMAC reads the address of an Ethernet interface.
func ParseMAC(text string) (m inet.MAC, err error) {
	b, err := net.ParseMAC(text)
	if err != nil || len(b) != len(m) {
		return m, fmt.Errorf("MAC %q is no address of six octets", text)
	}
	return inet.MAC(b), nil
}
