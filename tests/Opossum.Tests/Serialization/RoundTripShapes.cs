using System.Collections;
using System.Collections.Immutable;
using System.Text.Json;
using System.Text.Json.Serialization;
using Microsoft.FSharp.Core;

namespace Opossum.Tests.Serialization;

/// <summary>Classes of many shapes, which come back as they were appended, or are refused.</summary>
internal static class RoundTripShapes
{
    public sealed record Held<T>(T Value);

    public enum Colour
    {
        Red,
        Green,
    }

    public enum Progress
    {
        InTransit,
        Done,
    }

    public enum Letter
    {
        a,
        A,
    }

    public sealed class Box<T>
    {
        public T? Value { get; set; }
    }

    public sealed class ByConstructor(string name, int count)
    {
        public string Name { get; } = name;

        public int Count { get; } = count;

        public string Label => $"{Count} {Name}";
    }

    public sealed class PrivateSetters
    {
        public PrivateSetters(string name, IReadOnlyList<int> numbers) => (Name, Numbers) = (name, numbers);

        public string Name { get; private set; }

        public IReadOnlyList<int> Numbers { get; private set; }
    }

    public readonly struct Money
    {
        public Money(decimal amount, string currency) => (Amount, Currency) = (amount, currency);

        public decimal Amount { get; }

        public string Currency { get; }
    }

    public readonly struct Weight
    {
        private readonly int grams;

        public Weight(int grams) => this.grams = grams;

        public int Grams => grams;

        public double Kilograms => grams / 1000.0;
    }

    public readonly struct Marked
    {
        [JsonConstructor]
        public Marked(int grams, int pieces) => (Grams, Pieces) = (grams, pieces);

        public Marked(int grams)
            : this(grams, 1)
        {
        }

        public int Grams { get; }

        public int Pieces { get; }
    }

    public readonly record struct Point(int X, int Y);

    public class Named(string name)
    {
        public string Name { get; } = name;
    }

    public sealed class Titled(string name, string title) : Named(name)
    {
        public string Title { get; } = title;
    }

    public sealed class ManyWays
    {
        [JsonConstructor]
        private ManyWays(int first) => First = first;

        public static ManyWays Of(int first, int included, string renamed) =>
            new(first) { Included = included, Renamed = renamed, Needed = 3, Given = 4 };

        public int First { get; }

        [JsonInclude]
        public int Included { get; private set; }

        [JsonPropertyName("other-name")]
        public string Renamed { get; set; } = "";

        public required int Needed { get; init; }

        public int Given { get; init; } = 7;

        [JsonIgnore]
        public int Sum => First + Included;

        [JsonInclude]
        internal string? Inner { get; set; } = "inner";
    }

#nullable disable
    // As the compiler of F# writes a record: without setters, and without a word on null.
    [CompilationMapping(SourceConstructFlags.RecordType)]
    public sealed class FSharpGuest(string name, FSharpOption<string> note)
    {
        [CompilationMapping(SourceConstructFlags.Field, 0)]
        public string Name { get; } = name;

        [CompilationMapping(SourceConstructFlags.Field, 1)]
        public FSharpOption<string> Note { get; } = note;
    }
#nullable restore

    public sealed class Extended
    {
        public int Count { get; set; }

        [JsonIgnore]
        public int Note { get; set; }

        [JsonExtensionData]
        public Dictionary<string, JsonElement> More { get; set; } = [];
    }

    public sealed class WithFields
    {
        public int Count;
        public List<string> Names = [];
    }

    public sealed class FieldByConstructor(int count)
    {
        public readonly int Count = count;
    }

    public sealed class Populated
    {
        [JsonObjectCreationHandling(JsonObjectCreationHandling.Populate)]
        public List<string> Names { get; } = [];
    }

    [JsonDerivedType(typeof(Dog), "dog")]
    [JsonDerivedType(typeof(Cat), "cat")]
    public abstract record Pet(string Name);

    public sealed record Dog(string Name, int Bones) : Pet(Name);

    public record Cat(string Name) : Pet(Name);

    public sealed record Tiger(string Name, int Stripes) : Cat(Name);

    public record Line(string Article);

    public sealed record GiftLine(string Article, string Card) : Line(Article);

    public sealed record AllKinds(ImmutableArray<int> Array, ImmutableDictionary<string, int> Prices, SortedSet<int> Set,
        Dictionary<Guid, Point> Keys, Dictionary<Colour, List<Line>> Colours, IReadOnlyDictionary<int, string> Numbers,
        LinkedList<string> Linked, Queue<int> Queue, byte[] Bytes, Point? Nothing, Point? Something,
        TimeSpan Time, DateOnly Day, Uri Address, Version Version, char Letter, Half Half, Int128 Large);

    public sealed record Hall
    {
        public int Seats { get; init; } = 20;
    }

    // Refused when a store opens.
    public sealed class PrivateSetter
    {
        public string? Name { get; private set; }

        public PrivateSetter Rename(string name)
        {
            Name = name;
            return this;
        }
    }

    public sealed class InitialList
    {
        public List<string> Names { get; } = [];
    }

    public sealed class HiddenList
    {
        private readonly List<string> entries = [];

        public IReadOnlyList<string> Names => entries;

        public void Add(string name) => entries.Add(name);
    }

    public sealed class InternalMember
    {
        internal string? Note { get; set; }

        public int Count { get; set; }
    }

    // As Visual Basic compiles a property without accessors.
    public sealed class InternalWithField
    {
        private string? note;

        public int Count { get; set; }

        internal string? Note
        {
            get => note;
            set => note = value;
        }
    }

    public sealed class InternalShows
    {
        private int count;

        public string? Name { get; set; }

        internal int Count => count;

        public void Add() => count++;
    }

    public sealed class PrivateGetter
    {
        public string? Note { private get; set; }

        public override string ToString() => $"{Note}";
    }

    public sealed class OnlyHidden
    {
        private int count;

        public void Add() => count++;

        public override string ToString() => $"{count}";
    }

    public class HasIgnored
    {
        [JsonIgnore]
        public virtual string? Name { get; set; }
    }

    public sealed class OverridesIgnored : HasIgnored
    {
        public override string? Name { get => base.Name; }
    }

    public sealed class OverridesIgnoredWhole : HasIgnored
    {
        public override string? Name { get; set; }
    }

    [JsonObjectCreationHandling(JsonObjectCreationHandling.Populate)]
    public class HasPopulated
    {
        public List<string> Names { get; } = [];
    }

    public sealed class DerivedOfPopulated : HasPopulated
    {
        public int Count { get; set; }
    }

    // As unions are written by hand: nobody but its cases derives from it.
    public abstract class Payment
    {
        private Payment()
        {
        }

        public static Payment OfCash() => new Cash();

        public static Payment OfCard(string number) => new Card(number);

        public sealed class Cash : Payment
        {
            internal Cash()
            {
            }
        }

        public sealed class Card : Payment
        {
            internal Card(string number) => Number = number;

            public string Number { get; }
        }
    }

    public abstract record Parcel
    {
        private Parcel()
        {
        }

        public sealed record Sent(string Number) : Parcel;

        public sealed record Lost : Parcel;
    }

    public sealed class Lazily
    {
        public int Count { get; set; }

        public string Label => field ??= $"{Count}";
    }

    public sealed class Totalled
    {
        private decimal? total;

        public List<decimal> Lines { get; set; } = [];

        private decimal Total => total ??= Lines.Sum();

        public override string ToString() => $"{Total}";
    }

    public sealed class Trimmed
    {
        public string Name { get => field; set => field = value.Trim(); } = "";
    }

    public class HasName
    {
        public string? Name { get; set; }
    }

    public sealed class HidesName : HasName
    {
        public new string? Name { get; set; }
    }

    public sealed class TwoConstructors
    {
        public TwoConstructors(int first) => First = first;

        public TwoConstructors(int first, int second) => First = first + second;

        public int First { get; }
    }

    public record struct Seating(string CourseId, int Seats = 20, Colour Colour = Colour.Green, Colour? Shade = Colour.Green)
    {
        public int Rows { get; set; } = 5;
    }

    public struct PlainSeating
    {
        public PlainSeating()
        {
        }

        public int Seats { get; set; } = 20;
    }

    public readonly struct CheckedSeating
    {
        public CheckedSeating(string courseId, int seats = 20, Colour? shade = Colour.Green)
        {
            ArgumentNullException.ThrowIfNull(courseId);
            (CourseId, Seats, Shade) = (courseId, seats, shade);
        }

        public string CourseId { get; }

        public int Seats { get; }

        public Colour? Shade { get; }
    }

    public readonly struct TwoConstructorsStruct
    {
        public TwoConstructorsStruct(int first) => First = first;

        public TwoConstructorsStruct(int first, int second) => First = first + second;

        public int First { get; }
    }

    public sealed class OtherParameter(int count, IEnumerable<string> names)
    {
        public int Count { get; } = count;

        public List<string> Names { get; } = [.. names];
    }

    public sealed class ReadByNone
    {
        [JsonIgnore(Condition = JsonIgnoreCondition.WhenReading)]
        public int Count { get; set; }
    }

    public interface IShape
    {
        int Corners { get; }
    }

    public sealed class Square : IShape
    {
        public int Corners { get; init; }
    }

    public abstract record Shape(int Corners);

    [JsonDerivedType(typeof(Plain))]
    public record Unnamed(int Corners);

    public sealed record Plain(int Corners, int More) : Unnamed(Corners);

    public sealed class Basket : List<string>
    {
        public string? Owner { get; set; }
    }

    public sealed class Crate : List<string>
    {
        private string? owner;

        public string? Owner
        {
            get => owner;
            set => owner = value;
        }
    }

    public sealed class Counted : ICollection<string>
    {
        private readonly List<string> all = [];
        private int count;

        public int Count => count;

        public bool IsReadOnly => false;

        public void Add(string item)
        {
            all.Add(item);
            count++;
        }

        public void Clear() => all.Clear();

        public bool Contains(string item) => all.Contains(item);

        public void CopyTo(string[] array, int arrayIndex) => all.CopyTo(array, arrayIndex);

        public bool Remove(string item) => all.Remove(item);

        public IEnumerator<string> GetEnumerator() => all.GetEnumerator();

        IEnumerator IEnumerable.GetEnumerator() => all.GetEnumerator();
    }

    // Refused when it is appended.
    public sealed class LeftOut
    {
        [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingDefault)]
        public int Count { get; init; } = 5;
    }

    public sealed class PopulatedTwice
    {
        [JsonObjectCreationHandling(JsonObjectCreationHandling.Populate)]
        public List<string> Names { get; } = ["guest"];
    }
}
