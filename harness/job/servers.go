package job

import (
	"encoding/json"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/meter"
	"github.com/inalab/inalab/nodes/stream"
	"github.com/inalab/inalab/topo/plan"
)

// Staffed is a system with servers, which have hosts of their own or stand beside
// workers. They speak UDP, or by byte streams.
type Staffed interface {
	System
	// Servers returns how many hosts a job of so many workers needs for servers.
	Servers(workers int) int
	// NewServer makes the machine of a server. Its one port is the interface of its host
	// where it speaks UDP; else its ports are its streams. Sink takes its events; it may be nil.
	NewServer(config json.RawMessage, sink trace.Sink) (Server, error)
}

// Server is the machine of a server.
type Server interface {
	sansio.Machine
	// Counters returns packets by type and drops by reason.
	Counters() []sansio.Count
}

// Servers returns how many hosts a system needs beside those of so many workers:
// a topology for it has them behind these, and [Spec.Servers] says so; those of a job on a
// part of the hosts are named ([Spec.ServersOn]).
func Servers(s System, workers int) int {
	if staffed, ok := s.(Staffed); ok {
		return staffed.Servers(workers)
	}
	return 0
}

// ServerConfig describes a server on a host.
type ServerConfig struct {
	Name   string    // of the server: its host's, if it has that for itself
	Host   plan.Host // that it is on
	Core   json.RawMessage
	UDP    uint16         // port that it takes packets at; zero: it speaks by streams
	Stream *stream.Config // under the virtual clock; live its streams are kernel TCP

	Interval units.Duration // by which contributions are counted; zero: they are not
}

// ServerNode is a server on its host.
type ServerNode struct {
	sansio.Machine // what the driver runs
	Server         Server
	Stream         *stream.Node  // around the server; nil: it speaks UDP
	Adding         *meter.Adding // of contributions; nil: nothing counts them
}

// Counters returns those of the server and of its streams.
func (n *ServerNode) Counters() []sansio.Count {
	var all sansio.Tally
	all.Merge(n.Server.Counters())
	if n.Stream != nil {
		all.Merge(n.Stream.Counters())
	}
	return all.List()
}

// ServerConfigs returns the configuration of every server: those beside workers, then
// those on hosts of their own, each in the order of hosts.
func (j *Job) ServerConfigs() (out []ServerConfig) {
	for i, core := range j.beside {
		if core != nil {
			h := j.Hosts()[i]
			out = append(out, ServerConfig{Name: h.Name + "-server", Host: h, Core: core, UDP: j.Layout.ServerPort})
		}
	}
	behind := j.ServerHosts()
	for i := range behind {
		c := ServerConfig{Name: behind[i].Name, Host: behind[i], Core: j.servers[i], UDP: j.Layout.ServerPort}
		if c.UDP == 0 && j.Virtual {
			c.Stream = j.streams(&behind[i])
		}
		out = append(out, c)
	}
	return out
}

// ServerHosts returns the hosts of dedicated servers, in their order.
func (j *Job) ServerHosts() []plan.Host { return j.Members()[len(j.Hosts()):] }

// NewServer makes the machine of one of [Job.ServerConfigs] in this process, under
// the virtual clock. Sink takes its events; it may be nil.
func (j *Job) NewServer(cfg ServerConfig, sink trace.Sink) (*ServerNode, error) {
	server, err := j.System.(Staffed).NewServer(cfg.Core, sink)
	if err != nil {
		return nil, err
	}
	var m sansio.Machine = server
	node := &ServerNode{Server: server}
	if node.Adding = meter.NewAdding(server, cfg.Interval); node.Adding != nil {
		m = node.Adding
	}
	if cfg.UDP == 0 {
		if node.Stream, err = stream.New(*cfg.Stream, m); err != nil {
			return nil, err
		}
		m = node.Stream
	}
	node.Machine, err = j.onHost(cfg.Host.Name, m)
	return node, err
}
