package check

// Memory keeps the tensors of workers that share this process.
type Memory struct{ workers []memory }

type memory struct{ sent, delivered map[int][]int32 }

// NewMemory returns an empty store for n workers.
func NewMemory(n int) *Memory {
	m := &Memory{workers: make([]memory, n)}
	for w := range m.workers {
		m.workers[w] = memory{sent: map[int][]int32{}, delivered: map[int][]int32{}}
	}
	return m
}

// Recorder returns the gradient.Recorder of one worker.
func (m *Memory) Recorder(worker int) *MemoryRecorder { return &MemoryRecorder{&m.workers[worker]} }

// MemoryRecorder records one worker's tensors in a Memory.
type MemoryRecorder struct{ m *memory }

// Sent keeps a copy of q.
func (r *MemoryRecorder) Sent(gen int, q []int32) { r.m.sent[gen] = append([]int32(nil), q...) }

// Delivered keeps a copy of sums.
func (r *MemoryRecorder) Delivered(gen int, sums []int32) {
	r.m.delivered[gen] = append([]int32(nil), sums...)
}

// Sent returns what a worker sent.
func (m *Memory) Sent(worker, gen int) ([]int32, error) { return m.workers[worker].sent[gen], nil }

// Delivered returns what a worker was given.
func (m *Memory) Delivered(worker, gen int) ([]int32, error) {
	return m.workers[worker].delivered[gen], nil
}
