// IntrusiveList<T>: a doubly linked list through nodes that live in the elements. It never allocates and never
// owns; an element removes itself in O(1) and on destruction.
// Thread: one at a time. Invariant: an element is on at most one list per node base.
#ifndef GYRE_BASE_INTRUSIVE_LIST_H_
#define GYRE_BASE_INTRUSIVE_LIST_H_

#include <cstddef>

namespace gyre::base {

// Base of elements: ListNode<Element>, or another tag for each further list that the element is on.
template <class Tag>
class ListNode {
 public:
  ListNode() = default;
  ListNode(const ListNode&) = delete;
  ListNode& operator=(const ListNode&) = delete;
  ~ListNode() { Unlink(); }

  bool IsLinked() const { return next_ != this; }
  void Unlink() {
    prev_->next_ = next_;
    next_->prev_ = prev_;
    prev_ = next_ = this;
  }

 private:
  template <class T, class U>
  friend class IntrusiveList;
  void InsertBefore(ListNode* position) {
    prev_ = position->prev_;
    next_ = position;
    prev_->next_ = this;
    next_->prev_ = this;
  }
  ListNode* prev_ = this;
  ListNode* next_ = this;
};

template <class T, class Tag = T>
class IntrusiveList {
 public:
  using Node = ListNode<Tag>;
  IntrusiveList() = default;
  IntrusiveList(const IntrusiveList&) = delete;
  IntrusiveList& operator=(const IntrusiveList&) = delete;
  ~IntrusiveList() { Clear(); }

  bool IsEmpty() const { return !head_.IsLinked(); }
  T* Front() const { return IsEmpty() ? nullptr : ToElement(head_.next_); }
  T* Back() const { return IsEmpty() ? nullptr : ToElement(head_.prev_); }
  T* Next(const T* element) const {
    Node* next = static_cast<const Node*>(element)->next_;
    return next == &head_ ? nullptr : ToElement(next);
  }
  void PushBack(T* element) { Link(element, &head_); }
  void PushFront(T* element) { Link(element, head_.next_); }
  T* PopFront() {
    T* front = Front();
    if (front != nullptr) static_cast<Node*>(front)->Unlink();
    return front;
  }
  void Clear() {
    while (!IsEmpty()) head_.next_->Unlink();
  }
  // Moves all elements of `other` behind ours.
  void Append(IntrusiveList& other) {
    if (other.IsEmpty()) return;
    Node* first = other.head_.next_;
    Node* last = other.head_.prev_;
    other.head_.next_ = other.head_.prev_ = &other.head_;
    first->prev_ = head_.prev_;
    head_.prev_->next_ = first;
    last->next_ = &head_;
    head_.prev_ = last;
  }
  size_t CountSlow() const {
    size_t count = 0;
    for (Node* node = head_.next_; node != &head_; node = node->next_) ++count;
    return count;
  }

 private:
  static T* ToElement(Node* node) { return static_cast<T*>(node); }
  void Link(T* element, Node* position) {
    Node* node = static_cast<Node*>(element);
    node->Unlink();
    node->InsertBefore(position);
  }
  mutable Node head_;
};

}  // namespace gyre::base

#endif  // GYRE_BASE_INTRUSIVE_LIST_H_
