#pragma once
// Events that come from outside this process, for whoever waits on descriptors. One thread.

namespace isobox {

class EventSource {
 public:
  EventSource() = default;
  EventSource(const EventSource&) = delete;
  EventSource& operator=(const EventSource&) = delete;
  virtual ~EventSource() = default;

  // Readable when there is something to attend to.
  virtual int descriptor() const = 0;
  // Handles what has come, though never for long.
  virtual void Attend() = 0;
  // Whether something has come, as far as can be told without asking the system.
  virtual bool HasNews() = 0;
  // Nobody looks any more: from here on the descriptor tells. True when something came meanwhile.
  virtual bool Rest() = 0;
};

}  // namespace isobox
