package main

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/inalab/inalab/internal/wire/switchmlproto"
)

// client is one worker.
type client struct {
	server        string
	iface         string
	rank, workers uint32
	blocks, slots int
	threads       int // that the slots are numbered for
	values        int // of a packet
	port          int // own, and that of all workers: the switch sends a result to the port of whose packet completed it
	raw           bool
	patience      time.Duration
}

// conn takes packets to the switch, and results from it.
type conn interface {
	io.ReadWriteCloser
	SetReadDeadline(time.Time) error
}

func main() {
	var c client
	var rank, workers uint
	flag.StringVar(&c.server, "server", fmt.Sprintf("192.168.255.1:%d", switchmlproto.Port), "management address of the switch")
	flag.StringVar(&c.iface, "iface", "eth0", "interface to the switch")
	flag.UintVar(&rank, "rank", 0, "of this worker, from 0")
	flag.UintVar(&workers, "workers", 2, "number of workers, at most 32")
	flag.IntVar(&c.blocks, "blocks", 1000, "packets of the tensor")
	flag.IntVar(&c.values, "values", 256, "of a packet, 64 or 256, the same for all workers")
	flag.IntVar(&c.slots, "slots", 64, "packets on their way at a time")
	flag.IntVar(&c.threads, "threads", 1, "number slots as a client of so many threads does, each with an equal share of --slots")
	flag.IntVar(&c.port, "port", 4000, "own UDP port, the same for all workers")
	flag.BoolVar(&c.raw, "raw", false, "frames on a packet socket, in place of a UDP socket: the interface is shared with the kernel")
	flag.DurationVar(&c.patience, "patience", time.Minute, "for everything together")
	flag.Parse()
	c.rank, c.workers = uint32(rank), uint32(workers)
	if err := c.run(); err != nil {
		fmt.Fprintf(os.Stderr, "switchmlclient: rank %d: %v\n", rank, err)
		os.Exit(1)
	}
}

func (c *client) run() error {
	if c.workers < 1 || c.workers > 32 || c.rank >= c.workers || c.blocks < 1 || c.threads < 1 || c.slots < c.threads || sizes[c.values] == 0 {
		return errors.New("give 1 to 32 workers, a rank below that, at least one block, thread, and slot for each, and 64 or 256 values")
	}
	ctx, cancel := context.WithTimeout(context.Background(), c.patience)
	defer cancel()
	control, err := grpc.NewClient("passthrough:///"+c.server, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer control.Close()
	sw, err := c.setUp(ctx, switchmlproto.NewSyncClient(control), switchmlproto.NewSessionClient(control))
	if err != nil {
		return err
	}
	dial := c.dialUDP
	if c.raw {
		dial = c.dialRaw
	}
	to, err := dial(sw)
	if err != nil {
		return err
	}
	defer to.Close()
	r := reduction{client: c, conn: to}
	began := time.Now()
	if err := r.run(ctx); err != nil {
		return err
	}
	fmt.Printf("rank %d: %d sums of %d are %d, %d packets sent again, %d frames that are no results, %v\n",
		c.rank, c.blocks*c.values, c.workers, c.sum(), r.again, r.odd, time.Since(began).Round(time.Millisecond))
	return nil
}

// dialUDP opens a UDP socket to the switch.
func (c *client) dialUDP(sw *switchmlproto.UdpSessionResponse) (conn, error) {
	addr := binary.BigEndian.AppendUint32(nil, sw.GetIpv4())
	return net.DialUDP("udp4", &net.UDPAddr{Port: c.port}, &net.UDPAddr{IP: addr, Port: switchPort})
}

// sum is what every value must come to.
func (c *client) sum() int32 { return int32(c.workers * (c.workers + 1) / 2) }

// setUp is the order of the public client. It returns the addresses to send to.
func (c *client) setUp(ctx context.Context, sync switchmlproto.SyncClient, session switchmlproto.SessionClient) (sw *switchmlproto.UdpSessionResponse, err error) {
	made := uint64(time.Now().UnixNano())
	id, err := sync.Broadcast(ctx, &switchmlproto.BroadcastRequest{Value: made, Rank: c.rank, NumWorkers: c.workers})
	if err != nil {
		return nil, err
	}
	open := func() (err error) {
		sw, err = c.open(ctx, session, id.GetValue())
		return err
	}
	barrier := func() error {
		_, err := sync.Barrier(ctx, &switchmlproto.BarrierRequest{NumWorkers: c.workers})
		return err
	}
	steps := []func() error{barrier, open, barrier}
	if c.rank == 0 {
		steps = []func() error{open, barrier, barrier}
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return sw, nil
}

// open asks for the worker's place in the job.
func (c *client) open(ctx context.Context, session switchmlproto.SessionClient, id uint64) (*switchmlproto.UdpSessionResponse, error) {
	mac, ip, err := addresses(c.iface)
	if err != nil {
		return nil, err
	}
	return session.UdpSession(ctx, &switchmlproto.UdpSessionRequest{
		SessionId: id, Rank: c.rank, NumWorkers: c.workers, Mac: mac, Ipv4: ip, PacketSize: sizes[c.values],
	})
}

// addresses returns those of an interface as sessions want them.
func addresses(name string) (mac uint64, ip uint32, err error) {
	i, err := net.InterfaceByName(name)
	if err != nil {
		return 0, 0, err
	}
	list, err := i.Addrs()
	if err != nil {
		return 0, 0, err
	}
	for _, a := range list {
		if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil && len(i.HardwareAddr) == 6 {
			return binary.BigEndian.Uint64(append([]byte{0, 0}, i.HardwareAddr...)), binary.BigEndian.Uint32(n.IP.To4()), nil
		}
	}
	return 0, 0, fmt.Errorf("%s has no IPv4 address", name)
}
