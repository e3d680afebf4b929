#include "native/core/warm_shelf.h"

#include <algorithm>
#include <utility>

namespace isobox {

size_t WarmShelf::Wanted(TimePoint now) const {
  size_t wanted = now < last_use_ + idle_ ? target_ : 0;
  for (const PendingRequest& request : requests_)
    wanted = std::max(wanted, request.count);
  return wanted;
}

void WarmShelf::Put(std::unique_ptr<Guest> guest, std::vector<uint64_t>& reached) {
  in_preparation_ -= 1;
  ready_.push_back(std::move(guest));
  const auto still_open = std::partition(
      requests_.begin(), requests_.end(),
      [this](const PendingRequest& request) { return request.count > ready_.size(); });
  for (auto done = still_open; done != requests_.end(); ++done)
    reached.push_back(done->id);
  requests_.erase(still_open, requests_.end());
}

std::unique_ptr<Guest> WarmShelf::Take() {
  if (ready_.empty()) return nullptr;
  // The one prepared last has the most of its memory in the caches.
  std::unique_ptr<Guest> guest = std::move(ready_.back());
  ready_.pop_back();
  return guest;
}

bool WarmShelf::Request(uint64_t request, size_t count, TimePoint now) {
  Touch(now);
  if (ready_.size() >= count) return true;
  requests_.push_back({request, count});
  return false;
}

std::vector<uint64_t> WarmShelf::DropRequests() {
  std::vector<uint64_t> dropped;
  for (const PendingRequest& request : requests_)
    dropped.push_back(request.id);
  requests_.clear();
  return dropped;
}

std::vector<std::unique_ptr<Guest>> WarmShelf::TakeExpired(TimePoint now) {
  if (now < NextExpiry()) return {};
  return TakeAll();
}

std::vector<std::unique_ptr<Guest>> WarmShelf::TakeAll() {
  std::vector<std::unique_ptr<Guest>> all(std::make_move_iterator(ready_.begin()),
                                          std::make_move_iterator(ready_.end()));
  ready_.clear();
  return all;
}

WarmShelf::TimePoint WarmShelf::NextExpiry() const {
  if (ready_.empty() || !requests_.empty()) return TimePoint::max();
  return last_use_ + idle_;
}

}  // namespace isobox
