package scenarios

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/yamldoc"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/spec"
)

// ReadFile reads a scenario or a topology file. It reads no more of it than such a file may have.
func ReadFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missingFile(name)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s is a directory: name a file in it", name)
	}
	return ReadText(f)
}

// missingFile is the name of a file that is not there.
type missingFile string

func (m missingFile) Error() string { return string(m) + ": there is no such file" }

// Is has it be like the error of the operating system.
func (missingFile) Is(target error) bool { return target == fs.ErrNotExist }

// ReadText is [ReadFile] of what is open.
func ReadText(r io.Reader) ([]byte, error) { return io.ReadAll(io.LimitReader(r, yamldoc.MaxSize+1)) }

// Beside returns the path of a file that another one names.
func Beside(file, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(file), name)
}

// TopologyFile is a topology file that systems run on.
type TopologyFile struct {
	*spec.Topology
	hosts   []string
	transit []Transit // programs that its switches name
}

// topologyFile reads the topology file of a shape, and what it names.
func (r *resolver) topologyFile(at string, f *rawShape) *TopologyFile {
	where := at
	if !f.word {
		where += ".file"
	}
	if f.Generator != "" && !f.word && r.said(at+".generator") || f.Hosts+f.Leaves+f.Spines+f.Racks+f.Depth+f.FanOut != 0 {
		r.wrong(where, errors.New("a topology file has its own hosts and switches: leave out generator and counts"))
	}
	f.Generator = ""
	text, err := r.textOf(f, f.File)
	if err != nil && r.dir != "" {
		r.report(err)
		return nil
	}
	if err != nil {
		r.wrong(where, fmt.Errorf("%w: name a file beside the scenario, or one of %s", err, strings.Join(gen.Names(), ", ")))
		return nil
	}
	t, err := spec.Read(spec.Source{Name: f.File, Text: []byte(text)})
	if err != nil {
		r.report(err)
		return nil
	}
	lab, err := t.Resolve(r.base)
	if err != nil {
		r.report(err)
		return nil
	}
	out := &TopologyFile{Topology: t}
	for _, n := range lab.Graph.Nodes {
		if n.Kind == topo.Host {
			out.hosts = append(out.hosts, n.Name)
		}
	}
	for _, err := range UnknownEngines(t, lab, r.systems) {
		r.report(err)
	}
	for _, p := range lab.Programs {
		out.transit = append(out.transit, r.programOf(t, f, p)...)
	}
	for i := range out.transit {
		out.transit[i].of = out
	}
	return out
}

// hostNumber returns the number of a host by its name: h0, h1 and so on, or as the topology file has it.
func (r *resolver) hostNumber(name string) (n int, ok bool) {
	if r.file == nil {
		return hostNumber(name)
	}
	n = slices.Index(r.file.hosts, name)
	return n, n >= 0
}

// said reports whether the file, or an override, says something at a path.
func (r *resolver) said(path string) bool {
	p, _, ok := r.doc.find(path)
	return ok && p.Name != r.doc.parts[0].Name
}

// textOf returns the text of a file that a shape names, which the resolved scenario keeps.
func (r *resolver) textOf(f *rawShape, name string) (string, error) {
	if text, ok := f.Sources[name]; ok {
		return text, nil
	}
	file := name
	if !filepath.IsAbs(file) {
		file = filepath.Join(cmp.Or(r.dir, filepath.Dir(r.doc.name)), file)
	}
	text, err := ReadFile(file)
	if err != nil {
		return "", err
	}
	if f.Sources == nil {
		f.Sources = map[string]string{}
	}
	f.Sources[name] = string(text)
	return string(text), nil
}

// programOf reads the program that a switch of a topology file names: all frames pass it.
func (r *resolver) programOf(t *spec.Topology, f *rawShape, p spec.Word) []Transit {
	name := Beside(f.File, p.Text)
	text, err := r.textOf(f, name)
	if err != nil {
		r.report(t.Wrong(p.Path, err))
		return nil
	}
	inner := resolver{doc: r.doc}
	out := inner.transit([]rawTransit{{Program: name, Source: text, Switch: p.Node}})
	for _, err := range inner.errs {
		r.report(t.Wrong(p.Path, err))
	}
	return out
}

// base is what topology files leave open.
func (s *Scenario) base() spec.Base {
	return spec.Base{Link: s.Link, Uplink: s.Uplink, Fabric: s.Fabric, MTU: s.MTU}
}

// takeHosts has a scenario that does not say how many workers there are use all hosts of its topology file.
func (s *Scenario) takeHosts(f *TopologyFile, file reflect.Value) {
	if f != nil && !s.hostsSaid {
		s.Hosts = len(f.hosts)
		byKey(file.Elem(), "hosts").SetInt(int64(s.Hosts))
	}
}

// workersOn returns how many workers a system has on a topology file: those that the scenario asks for. Of one
// that asks for all hosts it is as many as there is room for beside the system's servers.
func (s *Scenario) workersOn(sys System) int {
	hosts := len(sys.Topology.File.hosts)
	if s.Hosts != hosts || sys.System == nil {
		return s.Hosts
	}
	n := hosts
	for n > 2 && n+job.Servers(sys.System, n) > hosts {
		n--
	}
	return n
}

// tooFewHosts is a topology file without enough hosts: other systems would have no more.
type tooFewHosts struct{ error }

// onFile has workers and servers on the first hosts of a topology file: hosts that nobody needs stay idle.
func (s *Scenario) onFile(sys System, spec *job.Spec, workers int) error {
	f, servers := sys.Topology.File, spec.Servers
	if f == nil || len(s.Tenants) > 0 || workers+servers == len(f.hosts) {
		return nil
	}
	if n := workers + servers; n > len(f.hosts) {
		return &tooFewHosts{fmt.Errorf("topology %s has %d hosts, and %d are needed (workers: %d, servers: %d): set fewer, as in --set hosts=%d, or give it more",
			f.Name, len(f.hosts), n, workers, servers, max(2, len(f.hosts)-servers))}
	}
	for i := range workers {
		spec.On = append(spec.On, i)
	}
	for i := range servers {
		spec.ServersOn = append(spec.ServersOn, workers+i)
	}
	return nil
}
