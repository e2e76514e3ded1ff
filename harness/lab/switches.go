package lab

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/inalab/inalab/harness/live"
	"github.com/inalab/inalab/harness/proc"
	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/switchd/control"
	"github.com/inalab/inalab/topo/plan"
)

// startSwitches starts all switches, with the links as they are now, and waits until each answers.
func (l *owner) startSwitches(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	p, err := plan.New(l.graph)
	if err != nil {
		return err
	}
	errs := make([]error, len(p.Switches))
	var starting sync.WaitGroup
	for i := range p.Switches {
		starting.Go(func() { errs[i] = l.startSwitch(ctx, p, i) })
	}
	starting.Wait()
	return errors.Join(errs...)
}

// startSwitch starts one, whose place no other goroutine touches.
func (l *owner) startSwitch(ctx context.Context, p *plan.Plan, i int) error {
	var transit []chassis.Program
	if i < len(l.opt.Transit) {
		transit = l.opt.Transit[i]
	}
	dir := l.net.Dir()
	if err := os.Remove(control.SocketPath(dir, p.Switches[i].Name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // one that was killed has left it
	}
	cfg := live.Forwarding(p, i, dir, live.ServeOptions{Seed: l.opt.Seed})
	cfg.Chassis.Transit, cfg.Plain = transit, l.opt.Plain
	sw, err := live.StartSwitch(ctx, l.sup, l.net, cfg, live.ServeOptions{Logs: LogsPath(dir), Owner: l.opt.Owner})
	if err != nil {
		return err
	}
	l.switches[i] = sw
	l.following.Go(func() {
		follow(sw, func(line string) { l.events.add(Event{Event: EventTold, Node: sw.Node(), Text: line}) })
		l.ended(i, sw)
	})
	return nil
}

// ended notes that a switch has ended which nobody has stopped. The lab goes on without it.
func (l *owner) ended(i int, p *proc.Process) {
	<-p.Exited()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.switches[i] != p {
		return
	}
	l.switches[i] = nil
	if l.ending {
		return
	}
	text := "it ended"
	if err := p.Wait(); err != nil {
		text = err.Error()
	}
	_ = os.Remove(control.SocketPath(l.net.Dir(), p.Node())) // nobody answers there
	l.events.add(Event{Event: EventSwitchEnded, Node: p.Node(), Text: text})
}

// lend stops the switches, so that a run may start its own.
func (l *owner) lend(by string) (took bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lent {
		return false, fmt.Errorf("lab %s has a run already: wait for its end, or name jobs of one scenario", l.opt.Lab)
	}
	l.lent = true
	l.events.add(Event{Event: EventRunBegan, Text: by})
	errs := make([]error, len(l.switches))
	var stopping sync.WaitGroup
	for i, p := range l.switches {
		l.switches[i] = nil
		if p != nil {
			stopping.Go(func() { errs[i] = p.Stop(stopGrace) })
		}
	}
	stopping.Wait()
	return true, errors.Join(errs...)
}

// takeBack starts the switches again when a run has gone.
func (l *owner) takeBack() {
	l.mu.Lock()
	l.lent = false
	ending := l.ending
	l.mu.Unlock()
	if ending {
		return
	}
	_ = os.RemoveAll(filepath.Join(l.net.Dir(), privateDir)) // of a run that was killed
	ctx, cancel := context.WithTimeout(context.Background(), readyTimeout)
	defer cancel()
	end := Event{Event: EventRunEnded}
	if err := l.startSwitches(ctx); err != nil {
		end.Text = err.Error()
	}
	l.events.add(end)
}
