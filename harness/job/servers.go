package job

import (
	"encoding/json"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/nodes/stream"
	"github.com/inalab/inalab/topo/plan"
)

// Staffed is a system that may need hosts beside those of the workers.
type Staffed interface {
	System
	// Servers returns how many hosts a job of so many workers needs for servers.
	Servers(workers int) int
	// NewServer makes the machine of such a host, whose ports are its streams.
	NewServer(config json.RawMessage) (Server, error)
}

// Server is the machine of a host without a worker.
type Server interface {
	sansio.Machine
	// Counters returns packets by type and drops by reason.
	Counters() []sansio.Count
}

// Servers returns how many hosts a system needs beside those of so many workers:
// a topology for it has them behind these, and [Spec.Servers] says so.
func Servers(s System, workers int) int {
	if staffed, ok := s.(Staffed); ok {
		return staffed.Servers(workers)
	}
	return 0
}

// ServerConfig describes the host of a server.
type ServerConfig struct {
	Node   string
	Core   json.RawMessage
	Stream *stream.Config // under the virtual clock; live its streams are kernel TCP
}

// ServerNode is a server on its host.
type ServerNode struct {
	sansio.Machine // what the driver runs
	Server         Server
}

// ServerConfigs returns the configuration of every dedicated server, in the order
// of hosts.
func (j *Job) ServerConfigs() (out []ServerConfig) {
	behind := j.ServerHosts()
	for i := range behind {
		c := ServerConfig{Node: behind[i].Name, Core: j.servers[i]}
		if j.Virtual {
			c.Stream = j.streams(&behind[i])
		}
		out = append(out, c)
	}
	return out
}

// ServerHosts returns the hosts of dedicated servers, in their order.
func (j *Job) ServerHosts() []plan.Host { return j.members()[len(j.Hosts()):] }

// NewServer makes the machine of one of [Job.ServerConfigs] in this process, under
// the virtual clock.
func (j *Job) NewServer(cfg ServerConfig) (*ServerNode, error) {
	server, err := j.System.(Staffed).NewServer(cfg.Core)
	if err != nil {
		return nil, err
	}
	m, err := stream.New(*cfg.Stream, server)
	if err != nil {
		return nil, err
	}
	node := &ServerNode{Server: server}
	node.Machine, err = j.onHost(cfg.Node, m)
	return node, err
}
