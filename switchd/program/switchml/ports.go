package switchml

import "github.com/inalab/inalab/internal/sansio"

// Ports returns the ports that lead to the workers.
func (p *Program) Ports() (out []sansio.Port) {
	for _, w := range p.cfg.Workers {
		out = append(out, w.Port)
	}
	return out
}
