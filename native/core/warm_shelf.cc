#include "native/core/warm_shelf.h"

#include <algorithm>
#include <utility>

namespace isobox {

size_t WarmShelf::Wanted(TimePoint now) const {
  size_t wanted = now < last_use_ + idle_ ? target_ : 0;
  for (const PendingRequest& request : requests_)
    wanted = std::max(wanted, request.count);
  return std::min<uint64_t>(wanted, left_);
}

bool WarmShelf::Has(size_t count) const {
  return ready_.size() >= std::min<uint64_t>(count, left_);
}

void WarmShelf::Collect(std::vector<uint64_t>& reached) {
  const auto done =
      std::partition(requests_.begin(), requests_.end(),
                     [this](const PendingRequest& request) { return !Has(request.count); });
  for (auto request = done; request != requests_.end(); ++request)
    reached.push_back(request->id);
  requests_.erase(done, requests_.end());
}

void WarmShelf::Put(std::unique_ptr<Guest> guest, std::vector<uint64_t>& reached) {
  in_preparation_ -= 1;
  ready_.push_back(std::move(guest));
  Collect(reached);
}

std::unique_ptr<Guest> WarmShelf::Take(std::vector<uint64_t>& reached) {
  std::unique_ptr<Guest> guest;
  if (!ready_.empty()) {
    // The one prepared last has the most of its memory in the caches.
    guest = std::move(ready_.back());
    ready_.pop_back();
  }
  if (left_ > 0) left_ -= 1;
  Collect(reached);
  return guest;
}

bool WarmShelf::Request(uint64_t request, size_t count, TimePoint now) {
  Touch(now);
  if (Has(count)) return true;
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
