package rpc

import (
	"context"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/inalab/inalab/internal/wire/switchmlproto"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/switchml"
	switchmlsession "github.com/inalab/inalab/switchd/program/switchml/session"
)

// session is the service of that name.
type session struct {
	switchmlproto.UnimplementedSessionServer
	server *Server
}

// UdpSession makes the caller a worker of a job that goes over UDP.
func (v session) UdpSession(ctx context.Context, r *switchmlproto.UdpSessionRequest) (*switchmlproto.UdpSessionResponse, error) {
	opened, err := v.server.open(ctx, switchmlsession.Session{
		ID: r.GetSessionId(), Rank: r.GetRank(), Workers: r.GetNumWorkers(), MAC: r.GetMac(), Addr: r.GetIpv4(), PacketSize: int32(r.GetPacketSize()),
	})
	if err != nil {
		return nil, err
	}
	return &switchmlproto.UdpSessionResponse{SessionId: r.GetSessionId(), Mac: opened.MAC, Ipv4: opened.Addr}, nil
}

// RdmaSession makes the caller a worker of a job that goes over RoCEv2.
func (v session) RdmaSession(ctx context.Context, r *switchmlproto.RdmaSessionRequest) (*switchmlproto.RdmaSessionResponse, error) {
	opened, err := v.server.open(ctx, switchmlsession.Session{
		ID: uint64(r.GetSessionId()), Rank: r.GetRank(), Workers: r.GetNumWorkers(), MAC: r.GetMac(), Addr: r.GetIpv4(), PacketSize: int32(r.GetPacketSize()),
		RDMA: &switchmlsession.RDMA{
			Queues:       switchml.Queues{RKey: r.GetRkey(), QPNs: r.GetQpns(), PSNs: r.GetPsns()},
			MessageBytes: r.GetMessageSize(),
		},
	})
	if err != nil {
		return nil, err
	}
	return &switchmlproto.RdmaSessionResponse{
		SessionId: uint64(r.GetSessionId()), Mac: opened.MAC, Ipv4: opened.Addr,
		Rkey: opened.RDMA.RKey, Qpns: opened.RDMA.QPNs, Psns: opened.RDMA.PSNs,
	}, nil
}

// open has a session carried out.
func (s *Server) open(ctx context.Context, r switchmlsession.Session) (switchmlsession.Opened, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for again := true; again; {
		change, f := s.machine.Prepare(connOf(ctx), r)
		if f != nil {
			return switchmlsession.Opened{}, statusOf(f)
		}
		var err error
		if !change.Empty() {
			err = s.jobs.Change(change.Remove, documentOf(change.Add))
		}
		again, f = s.machine.Settle(change, err)
		s.deliver()
		if f != nil {
			return switchmlsession.Opened{}, statusOf(f)
		}
	}
	return s.machine.Opened(r), nil
}

// documentOf returns a job as engines are told of it; nil: there is none.
func documentOf(j *switchml.Job) dataplane.Document {
	if j == nil {
		return nil
	}
	return j
}

// statusCodes are those of faults by kind.
var statusCodes = [...]codes.Code{
	switchmlsession.Invalid:     codes.InvalidArgument,
	switchmlsession.Unknown:     codes.NotFound,
	switchmlsession.Exists:      codes.AlreadyExists,
	switchmlsession.OutOfOrder:  codes.FailedPrecondition,
	switchmlsession.NoRoom:      codes.ResourceExhausted,
	switchmlsession.Late:        codes.DeadlineExceeded,
	switchmlsession.Aborted:     codes.Aborted,
	switchmlsession.Unavailable: codes.Unavailable,
}

func statusOf(f *switchmlsession.Fault) error { return status.Error(statusCodes[f.Kind], f.Text) }
