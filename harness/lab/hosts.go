package lab

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/inalab/inalab/topo/plan"
)

// hostsText is what programs of the lab see as /etc/hosts.
func hostsText(p *plan.Plan) string {
	var b strings.Builder
	b.WriteString("127.0.0.1\tlocalhost\n")
	for _, h := range p.Hosts {
		fmt.Fprintf(&b, "%v\t%s\n", h.Addr.Addr(), h.Name)
	}
	for i := range p.Switches {
		if sw := &p.Switches[i]; sw.Router.IsValid() {
			fmt.Fprintf(&b, "%v\t%s\n", sw.Router, sw.Name)
		}
	}
	return b.String()
}

// resolverText has nothing: no server of names can be reached from a lab, and a program that
// asks for a name which is not in the hosts file is answered at once.
const resolverText = "# inalab: names of a lab are in /etc/hosts\n"

// writeFiles writes what programs see, and the topology.
func (l *owner) writeFiles() error {
	dir := l.net.Dir()
	write := func(name, text string) error { return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644) }
	err := errors.Join(
		write(hostsFile, hostsText(l.plan)), write(resolverFile, resolverText), write(topologyFile, string(l.opt.Text)),
		os.Mkdir(filepath.Join(dir, logsDir), 0o755),
	)
	for name, text := range l.opt.Programs {
		if !filepath.IsLocal(name) || err != nil {
			continue // it is found where it is
		}
		at := filepath.Join(dir, name)
		err = errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, text, 0o644))
	}
	if err != nil {
		return fmt.Errorf("write files of lab %s: %w", l.opt.Lab, err)
	}
	return nil
}

// binds are the files of the lab that programs see in place of the machine's.
func (l *owner) binds() map[string]string {
	dir := l.net.Dir()
	return map[string]string{"/etc/hosts": filepath.Join(dir, hostsFile), "/etc/resolv.conf": filepath.Join(dir, resolverFile)}
}
